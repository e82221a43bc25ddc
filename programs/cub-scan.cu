// CUB's scans (sums, maxima, by key), reductions (whole arrays, segments, the place of the greatest) and histograms, against
// loops on the host.
// Usage: cub-scan-WIDTH [TYPE|all [SIZE,...|all]]
//
// build: cub-scan-8 -gencode arch=compute_90,code=compute_90 -std=c++17 -O2 -DWIDTH=8
// build: cub-scan-16 -gencode arch=compute_90,code=compute_90 -std=c++17 -O2 -DWIDTH=16
// build: cub-scan-32 -gencode arch=compute_90,code=compute_90 -std=c++17 -O2 -DWIDTH=32
// build: cub-scan-64 -gencode arch=compute_90,code=compute_90 -std=c++17 -O2 -DWIDTH=64
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include "cub.h"

struct Greater {
    template <class T> __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

// Sums on the host: whole numbers wrap at their width, as two's complement does; those of floating point are exact.
template <class T> struct Sum {
    uint64_t whole = 0;
    double real = 0;
    void add(T value) {
        if constexpr (IS_FLOAT<T>) real += double(float(value));
        else whole += uint64_t(value);
    }
    T get() const {
        if constexpr (IS_FLOAT<T>) return T(float(real));
        else return T(whole);
    }
};

template <class T> struct Scan {
    static void run(size_t n, Verdict& verdict) {
        std::vector<T> values = fill<T>(n, [n](size_t i) { return addend<T>(1, i, n); });
        scans(values, verdict);
        reductions(values, verdict);
        histograms(n, verdict);
    }

    static void scans(const std::vector<T>& values, Verdict& verdict) {
        size_t n = values.size();
        Array<T> in(values), out(n), place(values);
        std::vector<T> sums(n), maxima(n), by_key(n);
        // Keys in runs of many lengths.
        std::vector<int> keys = fill<int>(n, [](size_t i) { return int(i / (1 + random(2, i / 300) % 299)); });
        Sum<T> sum, of_key;
        T greatest = from<T>(1);
        for (size_t i = 0; i < n; ++i) {
            sum.add(values[i]);
            sums[i] = sum.get();
            maxima[i] = greatest;
            if (less(greatest, values[i])) greatest = values[i];
            if (i > 0 && keys[i] != keys[i - 1]) of_key = Sum<T>();
            by_key[i] = of_key.get();
            of_key.add(values[i]);
        }
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceScan::InclusiveSum(s, b, place.get(), place.get(), int(n));
        });
        verdict.expect(same(place.read(), sums), "inclusive sums in place");
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceScan::ExclusiveScan(s, b, in.get(), out.get(), Greater(), from<T>(1), int(n));
        });
        verdict.expect(same(out.read(), maxima), "exclusive maxima");
        Array<int> device_keys(keys);
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceScan::ExclusiveSumByKey(s, b, device_keys.get(), in.get(), out.get(), int(n));
        });
        verdict.expect(same(out.read(), by_key), "exclusive sums by key");
    }

    static void reductions(const std::vector<T>& values, Verdict& verdict) {
        size_t n = values.size();
        Array<T> in(values), out(1);
        Sum<T> sum;
        T greatest = from<T>(0);
        int place = 0;
        for (size_t i = 0; i < n; ++i) {
            sum.add(values[i]);
            if (less(values[place], values[i])) place = int(i);
            if (less(greatest, values[i])) greatest = values[i];
        }
        with_storage([&](void* s, size_t& b) { return cub::DeviceReduce::Sum(s, b, in.get(), out.get(), int(n)); });
        verdict.expect(same(out.read()[0], sum.get()), "sum");
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceReduce::Reduce(s, b, in.get(), out.get(), int(n), Greater(), from<T>(0));
        });
        verdict.expect(same(out.read()[0], greatest), "maximum");
        if (n > 0) {
            Array<int> index(1);
            with_storage([&](void* s, size_t& b) {
                return cub::DeviceReduce::ArgMax(s, b, in.get(), out.get(), index.get(), int64_t(n));
            });
            verdict.expect(same(out.read()[0], values[place]) && index.read()[0] == place, "place of the first maximum");
        }

        // Segments of random lengths, empty ones among them.
        std::vector<int> ends{0};
        while (ends.back() < int(n)) ends.push_back(int(std::min(n, ends.back() + random(3, ends.size()) % 2000 * (ends.size() % 3))));
        ends.push_back(int(n));
        size_t segments = ends.size() - 1;
        std::vector<T> sums(segments);
        for (size_t i = 0; i < segments; ++i) {
            Sum<T> one;
            for (int j = ends[i]; j < ends[i + 1]; ++j) one.add(values[j]);
            sums[i] = one.get();
        }
        Array<int> offsets(ends);
        Array<T> each(segments);
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceSegmentedReduce::Sum(s, b, in.get(), each.get(), int(segments), offsets.get(), offsets.get() + 1);
        });
        verdict.expect(same(each.read(), sums), "sums of segments");
    }

    static void histograms(size_t n, Verdict& verdict) {
        std::vector<T> values = fill<T>(n, [](size_t i) { return from<T>(int(random(4, i) % 101)); });
        Array<T> in(values);
        std::vector<T> levels{from<T>(1), from<T>(2), from<T>(17), from<T>(50), from<T>(90)};
        std::vector<int> counts(levels.size() - 1), even(10);
        for (T value : values) {
            for (size_t i = 0; i < counts.size(); ++i) counts[i] += !less(value, levels[i]) && less(value, levels[i + 1]);
            int number = int(float(value));
            if (number < 100) ++even[number / 10];
        }
        Array<T> bounds(levels);
        Array<int> bins(counts.size()), tens(even.size());
        with_storage([&](void* s, size_t& b) {
            return cub::DeviceHistogram::HistogramRange(s, b, in.get(), bins.get(), int(levels.size()), bounds.get(), int(n));
        });
        verdict.expect(same(bins.read(), counts), "histogram of ranges");
        if constexpr (!std::is_same<T, __half>::value) {
            with_storage([&](void* s, size_t& b) {
                return cub::DeviceHistogram::HistogramEven(s, b, in.get(), tens.get(), 11, T(0), T(100), int(n));
            });
            verdict.expect(same(tens.read(), even), "histogram of equal ranges");
        }
    }
};

int main(int count, char** arguments) { return run_cases<Scan, TYPES>(count, arguments); }
