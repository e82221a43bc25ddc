// CUB's sorts of keys and of pairs: radix (up, down, part of the bits, between two buffers) and merge, against std::stable_sort.
// Usage: cub-sort-WIDTH [TYPE|all [SIZE,...|all]]
//
// build: cub-sort-8 -gencode arch=compute_90,code=compute_90 -std=c++17 -O2 -DWIDTH=8
// build: cub-sort-16 -gencode arch=compute_90,code=compute_90 -std=c++17 -O2 -DWIDTH=16
// build: cub-sort-32 -gencode arch=compute_90,code=compute_90 -std=c++17 -O2 -DWIDTH=32
// build: cub-sort-64 -gencode arch=compute_90,code=compute_90 -std=c++17 -O2 -DWIDTH=64
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <numeric>

#include "cub.h"

struct Less {
    template <class T> __device__ bool operator()(T a, T b) const { return a < b; }
};

template <class T> struct Sort {
    using Pairs = std::pair<std::vector<T>, std::vector<int>>;

    // Keys with the places that they came from, sorted without changing the order of equal ones.
    template <class F> static Pairs sorted(const std::vector<T>& keys, F before) {
        std::vector<int> places(keys.size());
        std::iota(places.begin(), places.end(), 0);
        std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return before(keys[a], keys[b]); });
        return {fill<T>(keys.size(), [&](size_t i) { return keys[places[i]]; }), places};
    }

    static void run(size_t n, Verdict& verdict) {
        std::vector<T> keys = fill<T>(n, [](size_t i) { return any<T>(1, i); });
        std::vector<int> places(n);
        std::iota(places.begin(), places.end(), 0);
        Array<T> in(keys), out(n);
        Array<int> values(places), moved(n);
        int count = int(n), bits = 8 * sizeof(T);

        Pairs up = sorted(keys, less<T>);
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceRadixSort::SortPairs(s, b, in.get(), out.get(), values.get(), moved.get(), count);
        });
        verdict.expect(same(out.read(), up.first) && same(moved.read(), up.second), "radix sort of pairs");
        Pairs down = sorted(keys, [](T a, T b) { return less(b, a); });
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceRadixSort::SortKeysDescending(s, b, in.get(), out.get(), count);
        });
        verdict.expect(same(out.read(), down.first), "radix sort downwards");

        // By the upper half of the bits, between two buffers, either of which may hold the result.
        std::vector<T> half = sorted(keys, [](T a, T b) { return upper(a) < upper(b); }).first;
        Array<T> first(keys);
        cub::DoubleBuffer<T> buffers(first.get(), out.get());
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceRadixSort::SortKeys(s, b, buffers, count, bits / 2, bits);
        });
        verdict.expect(same(buffers.Current() == out.get() ? out.read() : first.read(), half), "radix sort of some bits");

        Array<T> inner(keys);
        Array<int> carried(places);
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceMergeSort::StableSortPairs(s, b, inner.get(), carried.get(), count, Less());
        });
        verdict.expect(same(inner.read(), up.first) && same(carried.read(), up.second), "merge sort of pairs");
    }

    // The upper half of the bits of an unsigned number that is ordered as the values are; zeros of both signs are one.
    static uint64_t upper(T value) {
        constexpr int bits = 8 * sizeof(T);
        constexpr uint64_t sign = 1ull << (bits - 1), all = sign | (sign - 1);
        uint64_t number = 0;
        std::memcpy(&number, &value, sizeof value);
        if (IS_FLOAT<T>) {
            if (number == sign) number = 0;
            number ^= number & sign ? all : sign;
        } else if (T(-1) < T(0)) {
            number ^= sign;
        }
        return number >> (bits / 2);
    }
};

int main(int count, char** arguments) { return run_cases<Sort, TYPES>(count, arguments); }
