// Thrust on device vectors: sort, sort_by_key, stable_sort with an order of our own, scans, transform, reduce,
// transform_reduce, unique, gather and scatter, copy_if, count, extrema, searches, fancy iterators, and a
// stream of our own. Against the standard library on the host.
// Usage: thrust-WIDTH [TYPE|all [SIZE,...|all]]
//
// build: thrust-16 -gencode arch=compute_90,code=compute_90 -std=c++17 -O2 -DWIDTH=16
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <numeric>

#include "typed.h"

struct Before {
    template <class T> __device__ bool operator()(const T& a, const T& b) const { return b < a; }
};
struct Positive {
    template <class T> __device__ bool operator()(const T& value) const { return T(0) < value; }
};
struct Double {
    template <class T> __device__ T operator()(const T& a, const T& b) const { return T(a + b); }
};
template <class T> struct Number {
    __device__ long long operator()(T value) const { return (long long)(float(value)); }
};
struct Odd {
    __device__ bool operator()(int i) const { return i % 2 != 0; }
};

template <class T> std::vector<T> host(const thrust::device_vector<T>& values) {
    std::vector<T> copy(values.size());
    thrust::copy(values.begin(), values.end(), copy.begin());
    return copy;
}

template <class T> struct Thrust {
    static void run(size_t n, Verdict& verdict) {
        sorts(n, verdict);
        maps(n, verdict);
        runs(n, verdict);
    }

    static void sorts(size_t n, Verdict& verdict) {
        std::vector<T> values = fill<T>(n, [](size_t i) { return any<T>(1, i); });
        std::vector<int> places(n);
        std::iota(places.begin(), places.end(), 0);
        thrust::device_vector<T> keys(values.begin(), values.end()), other = keys;
        thrust::device_vector<int> carried(n);
        thrust::sequence(carried.begin(), carried.end());
        verdict.expect(same(host(carried), places), "sequence");

        cudaStream_t stream;
        CHECK(cudaStreamCreate(&stream));
        thrust::sort_by_key(thrust::cuda::par.on(stream), keys.begin(), keys.end(), carried.begin());
        thrust::stable_sort(thrust::cuda::par.on(stream), other.begin(), other.end(), Before());
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaStreamDestroy(stream));
        std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return less(values[a], values[b]); });
        std::vector<T> sorted = fill<T>(n, [&](size_t i) { return values[places[i]]; });
        // Equal keys may have changed places; zeros of both signs are equal ones.
        std::vector<int> found = host(carried);
        std::vector<T> got = host(keys);
        bool good = true;
        for (size_t i = 0; i < n; ++i) good = good && same(got[i], values[found[i]]) && !less(got[i], sorted[i]) && !less(sorted[i], got[i]);
        std::sort(found.begin(), found.end());
        for (size_t i = 0; i < n; ++i) good = good && found[i] == int(i);
        verdict.expect(good, "sort by key");
        std::stable_sort(values.begin(), values.end(), [](T a, T b) { return less(b, a); });
        verdict.expect(same(host(other), values), "stable sort with an order of our own");

        std::vector<T> wanted = fill<T>(n / 3, [](size_t i) { return any<T>(2, i); });
        thrust::device_vector<T> needles(wanted.begin(), wanted.end());
        thrust::device_vector<int> bounds(wanted.size());
        thrust::lower_bound(keys.begin(), keys.end(), needles.begin(), needles.end(), bounds.begin());
        std::vector<int> expected = fill<int>(wanted.size(), [&](size_t i) {
            return int(std::lower_bound(sorted.begin(), sorted.end(), wanted[i], less<T>) - sorted.begin());
        });
        verdict.expect(same(host(bounds), expected), "lower bounds");
    }

    static void maps(size_t n, Verdict& verdict) {
        std::vector<T> values = fill<T>(n, [n](size_t i) { return addend<T>(3, i, n); });
        thrust::device_vector<T> in(values.begin(), values.end()), out(n);
        std::vector<T> twice(n), sums(n), odd, positive;
        long long total = 0, greatest = -1000;
        for (size_t i = 0; i < n; ++i) {
            int value = int(float(values[i]));
            twice[i] = from<T>(2 * value);
            sums[i] = from<T>(int(total));
            total += value;
            greatest = std::max<long long>(greatest, value);
            if (i % 2 != 0) odd.push_back(values[i]);
            if (value > 0) positive.push_back(values[i]);
        }
        thrust::transform(in.begin(), in.end(), in.begin(), out.begin(), Double());
        verdict.expect(same(host(out), twice), "transform");
        thrust::exclusive_scan(in.begin(), in.end(), out.begin(), from<T>(0), Double());
        verdict.expect(same(host(out), sums), "exclusive scan");
        verdict.expect(thrust::transform_reduce(in.begin(), in.end(), Number<T>(), 0ll, thrust::plus<long long>()) == total, "transform and reduce");
        auto numbers = thrust::make_transform_iterator(in.begin(), Number<T>());
        verdict.expect(thrust::reduce(numbers, numbers + n, -1000ll, thrust::maximum<long long>()) == greatest, "reduce");
        verdict.expect(thrust::count_if(in.begin(), in.end(), Positive()) == ptrdiff_t(positive.size()), "count");
        auto place = thrust::max_element(in.begin(), in.end()) - in.begin();
        auto expected = std::max_element(values.begin(), values.end(), less<T>) - values.begin();
        verdict.expect(place == expected, "place of the first maximum");

        out.resize(odd.size());
        auto end = thrust::copy_if(in.begin(), in.end(), thrust::counting_iterator<int>(0), out.begin(), Odd());
        verdict.expect(end == out.end() && same(host(out), odd), "copy those of odd places");

        // Backwards and back again.
        thrust::device_vector<int> map(n);
        thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(int(n)), map.begin(), Backwards{int(n)});
        thrust::device_vector<T> back(n), again(n);
        thrust::gather(map.begin(), map.end(), in.begin(), back.begin());
        thrust::scatter(back.begin(), back.end(), map.begin(), again.begin());
        std::vector<T> reversed(values.rbegin(), values.rend());
        verdict.expect(same(host(back), reversed) && same(host(again), values), "gather and scatter");
    }

    struct Backwards {
        int n;
        __device__ int operator()(int i) const { return n - 1 - i; }
    };

    static void runs(size_t n, Verdict& verdict) {
        std::vector<T> values = fill<T>(n, [](size_t i) { return few<T>(5, i / (1 + random(6, i / 1000) % 40)); });
        std::vector<T> firsts;
        std::vector<int> lengths;
        for (size_t i = 0; i < n; ++i) {
            if (i == 0 || !same(values[i], values[i - 1])) {
                firsts.push_back(values[i]);
                lengths.push_back(0);
            }
            ++lengths.back();
        }
        thrust::device_vector<T> in(values.begin(), values.end()), keys(n);
        thrust::device_vector<int> counts(n);
        auto ends = thrust::reduce_by_key(in.begin(), in.end(), thrust::make_constant_iterator(1), keys.begin(), counts.begin());
        keys.resize(ends.first - keys.begin());
        counts.resize(ends.second - counts.begin());
        verdict.expect(same(host(keys), firsts) && same(host(counts), lengths), "reduce by key");
        in.erase(thrust::unique(in.begin(), in.end()), in.end());
        verdict.expect(same(host(in), firsts), "unique");
    }
};

int main(int count, char** arguments) { return run_cases<Thrust, TYPES>(count, arguments); }
