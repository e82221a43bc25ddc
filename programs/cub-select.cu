// CUB's selections (by a predicate, by flags, the first of each run), partitions (two and three ways), run lengths and
// reductions by key, against loops on the host.
// Usage: cub-select-WIDTH [TYPE|all [SIZE,...|all]]
//
// build: cub-select-16 -gencode arch=compute_90,code=compute_90 -std=c++17 -O2 -DWIDTH=16
// build: cub-select-32 -gencode arch=compute_90,code=compute_90 -std=c++17 -O2 -DWIDTH=32
#include <cub/device/device_partition.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include "cub.h"

template <class T> struct Below {
    T limit;
    __device__ bool operator()(const T& value) const { return value < limit; }
};

struct Add {
    __device__ int operator()(int a, int b) const { return a + b; }
};

template <class T> struct Select {
    static void run(size_t n, Verdict& verdict) {
        select(n, verdict);
        partition(n, verdict);
        runs(n, verdict);
    }

    static void select(size_t n, Verdict& verdict) {
        std::vector<T> values = fill<T>(n, [](size_t i) { return any<T>(1, i); });
        std::vector<char> flags = fill<char>(n, [](size_t i) { return char(random(2, i) % 5 == 0); });
        std::vector<T> below, flagged;
        T limit = from<T>(5);
        for (size_t i = 0; i < n; ++i) {
            if (less(values[i], limit)) below.push_back(values[i]);
            if (flags[i]) flagged.push_back(values[i]);
        }
        Array<T> in(values), out(n);
        Array<char> marks(flags);
        Array<int> count(1);
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceSelect::If(s, b, in.get(), out.get(), count.get(), int(n), Below<T>{limit});
        });
        verdict.expect(count.read()[0] == int(below.size()) && same(out.read(below.size()), below), "select by predicate");
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceSelect::Flagged(s, b, in.get(), marks.get(), count.get(), int(n));
        });
        verdict.expect(count.read()[0] == int(flagged.size()) && same(in.read(flagged.size()), flagged), "select in place by flags");
    }

    // What is selected comes first in its order, the rest from the end backwards.
    static void partition(size_t n, Verdict& verdict) {
        std::vector<T> values = fill<T>(n, [](size_t i) { return from<T>(int(random(3, i) % 101)); });
        std::vector<char> flags = fill<char>(n, [](size_t i) { return char(random(4, i) % 3 == 0); });
        std::vector<T> two, rest, small, middle, great;
        for (size_t i = 0; i < n; ++i) {
            (flags[i] ? two : rest).push_back(values[i]);
            int number = int(float(values[i]));
            (number < 20 ? small : number < 60 ? middle : great).push_back(values[i]);
        }
        size_t selected = two.size();
        two.insert(two.end(), rest.rbegin(), rest.rend());
        Array<T> in(values), out(n), firsts(n), seconds(n), others(n);
        Array<char> marks(flags);
        Array<int> counts(2);
        with_storage([&](void* s, size_t& b) {
            return cub::DevicePartition::Flagged(s, b, in.get(), marks.get(), out.get(), counts.get(), int(n));
        });
        verdict.expect(counts.read()[0] == int(selected) && same(out.read(), two), "partition by flags");
        with_storage([&](void* s, size_t& b) {
            return cub::DevicePartition::If(s, b, in.get(), firsts.get(), seconds.get(), others.get(), counts.get(), int(n),
                                            Below<T>{from<T>(20)}, Below<T>{from<T>(60)});
        });
        std::vector<int> sizes = counts.read();
        bool sized = sizes[0] == int(small.size()) && sizes[1] == int(middle.size());
        verdict.expect(sized && same(firsts.read(small.size()), small) && same(seconds.read(middle.size()), middle) &&
                           same(others.read(great.size()), great),
                       "partition three ways");
    }

    static void runs(size_t n, Verdict& verdict) {
        std::vector<T> values = fill<T>(n, [](size_t i) { return few<T>(5, i / (1 + random(6, i / 1000) % 40)); });
        std::vector<T> firsts;
        std::vector<int> lengths, sums, weights = fill<int>(n, [](size_t i) { return int(random(7, i) % 100); });
        for (size_t i = 0; i < n; ++i) {
            if (i == 0 || !same(values[i], values[i - 1])) {
                firsts.push_back(values[i]);
                lengths.push_back(0);
                sums.push_back(0);
            }
            ++lengths.back();
            sums.back() += weights[i];
        }
        size_t found = firsts.size();
        Array<T> in(values), out(n);
        Array<int> weight(weights), numbers(n), count(1);
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceSelect::Unique(s, b, in.get(), out.get(), count.get(), int(n));
        });
        verdict.expect(count.read()[0] == int(found) && same(out.read(found), firsts), "first of each run");
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceRunLengthEncode::Encode(s, b, in.get(), out.get(), numbers.get(), count.get(), int(n));
        });
        verdict.expect(count.read()[0] == int(found) && same(out.read(found), firsts) && same(numbers.read(found), lengths),
                       "lengths of runs");
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceReduce::ReduceByKey(s, b, in.get(), out.get(), weight.get(), numbers.get(), count.get(), Add(), int(n));
        });
        verdict.expect(count.read()[0] == int(found) && same(out.read(found), firsts) && same(numbers.read(found), sums),
                       "sums by key");
    }
};

int main(int count, char** arguments) { return run_cases<Select, TYPES>(count, arguments); }
