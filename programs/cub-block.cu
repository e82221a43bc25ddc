// CUB inside kernels: loads and stores by a warp's transposition, scans, reductions, sorts (radix and merge), histograms, heads of
// runs, differences of neighbours and exchanges of a block; scans, reductions and sorts of a warp. Against loops on the host.
// Usage: cub-block-WIDTH [TYPE|all [SIZE,...|all]]
//
// build: cub-block-16 -gencode arch=compute_90,code=compute_90 -std=c++17 -O2 -DWIDTH=16
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include "typed.h"

constexpr int THREADS = 128, ITEMS = 4, TILE = THREADS * ITEMS, BINS = 8;

struct Less {
    template <class T> __device__ bool operator()(T a, T b) const { return a < b; }
};
struct Greater {
    template <class T> __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
struct Differs {
    template <class T> __device__ bool operator()(T a, T b) const { return a != b; }
};
// What a neighbour is to the one before it: less, alike or greater.
struct Compare {
    template <class T> __device__ T operator()(T here, T before) const { return here == before ? T(0) : T(1); }
};

// Each tile by every algorithm of a block; the last tile ends early and is filled with `last`.
template <class T> struct Results {
    T *radix, *merged, *sums, *greatest, *differences, *exchanged;
    int *heads, *bins;
};

template <class T> __global__ void __launch_bounds__(THREADS) blocks(const T* in, size_t n, T last, Results<T> out) {
    using Load = cub::BlockLoad<T, THREADS, ITEMS, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Store = cub::BlockStore<T, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
    using Marks = cub::BlockStore<int, THREADS, ITEMS>;
    using Radix = cub::BlockRadixSort<T, THREADS, ITEMS>;
    using Merge = cub::BlockMergeSort<T, THREADS, ITEMS>;
    using Scan = cub::BlockScan<T, THREADS, cub::BLOCK_SCAN_RAKING>;
    using Reduce = cub::BlockReduce<T, THREADS>;
    using Heads = cub::BlockDiscontinuity<T, THREADS>;
    using Differences = cub::BlockAdjacentDifference<T, THREADS>;
    using Exchange = cub::BlockExchange<T, THREADS, ITEMS>;
    using Histogram = cub::BlockHistogram<unsigned char, THREADS, ITEMS, BINS>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Marks::TempStorage marks;
        typename Radix::TempStorage radix;
        typename Merge::TempStorage merge;
        typename Scan::TempStorage scan;
        typename Reduce::TempStorage reduce;
        typename Heads::TempStorage heads;
        typename Differences::TempStorage differences;
        typename Exchange::TempStorage exchange;
        typename Histogram::TempStorage histogram;
    } room;
    __shared__ unsigned bins[BINS];

    size_t start = size_t(blockIdx.x) * TILE;
    int valid = int(min(size_t(TILE), n - start));
    T items[ITEMS], work[ITEMS];
    Load(room.load).Load(in + start, items, valid, last);
    __syncthreads();
    auto again = [&]() {
        for (int i = 0; i < ITEMS; ++i) work[i] = items[i];
    };
    auto store = [&](T* to) {
        __syncthreads();
        Store(room.store).Store(to + start, work, valid);
        __syncthreads();
    };

    again();
    Radix(room.radix).SortDescending(work);
    store(out.radix);
    again();
    Merge(room.merge).Sort(work, Less());
    store(out.merged);
    again();
    Scan(room.scan).InclusiveSum(work, work);
    store(out.sums);
    T greatest = Reduce(room.reduce).Reduce(items, Greater());
    if (threadIdx.x == 0) out.greatest[blockIdx.x] = greatest;
    __syncthreads();
    Differences(room.differences).SubtractLeft(items, work, Compare());
    store(out.differences);
    again();
    Exchange(room.exchange).BlockedToStriped(work);
    store(out.exchanged);

    int heads[ITEMS];
    Heads(room.heads).FlagHeads(heads, items, Differs());
    __syncthreads();
    Marks(room.marks).Store(out.heads + start, heads, valid);
    __syncthreads();
    unsigned char samples[ITEMS];
    for (int i = 0; i < ITEMS; ++i) samples[i] = (unsigned char)(int(float(items[i])) & (BINS - 1));
    Histogram(room.histogram).Histogram(samples, bins);
    __syncthreads();
    if (threadIdx.x < BINS) out.bins[blockIdx.x * BINS + threadIdx.x] = int(bins[threadIdx.x]);
}

// Each warp for itself: its sum, its inclusive maxima, its items in order.
template <class T> __global__ void __launch_bounds__(THREADS) warps(const T* in, size_t n, T last, T* sums, T* maxima, T* sorted) {
    using Reduce = cub::WarpReduce<T>;
    using Scan = cub::WarpScan<T, 16>;
    using Merge = cub::WarpMergeSort<T, 1>;
    __shared__ typename Reduce::TempStorage reduce[THREADS / 32];
    __shared__ typename Scan::TempStorage scan[THREADS / 16];
    __shared__ typename Merge::TempStorage merge[THREADS / 32];
    size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x;
    int warp = threadIdx.x / 32;
    T item[1] = {i < n ? in[i] : last};
    T sum = Reduce(reduce[warp]).Sum(item[0]), maximum;
    Scan(scan[threadIdx.x / 16]).InclusiveScan(item[0], maximum, Greater());
    Merge(merge[warp]).Sort(item, Less());
    if (threadIdx.x % 32 == 0 && i < n) sums[i / 32] = sum;
    if (i < n) maxima[i] = maximum;
    sorted[i] = item[0];
}

template <class T> struct Block {
    static void run(size_t n, Verdict& verdict) {
        if (n == 0) return;  // no grid has no blocks
        // Small whole numbers, whose sums over one tile are exact in every type (as numbers of 8 bits they wrap).
        std::vector<T> values = fill<T>(n, [](size_t i) { return from<T>(int(random(1, i / (1 + i % 3)) % 5)); });
        T last = from<T>(3);
        of_blocks(values, last, verdict);
        of_warps(values, last, verdict);
    }

    static std::vector<T> tile_of(const std::vector<T>& values, size_t start, size_t length, T last) {
        return fill<T>(length, [&](size_t i) { return start + i < values.size() ? values[start + i] : last; });
    }

    static void of_blocks(const std::vector<T>& values, T last, Verdict& verdict) {
        size_t n = values.size(), tiles = (n + TILE - 1) / TILE;
        std::vector<T> radix, merged, sums, greatest, differences, exchanged;
        std::vector<int> heads, bins;
        for (size_t tile = 0; tile < tiles; ++tile) {
            std::vector<T> items = tile_of(values, tile * TILE, TILE, last), sorted = items;
            std::sort(sorted.begin(), sorted.end(), less<T>);
            int count[BINS] = {}, sum = 0;
            for (int i = 0; i < TILE; ++i) {
                ++count[int(float(items[i]))];
                if (tile * TILE + i >= n) continue;
                bool head = i == 0 || !same(items[i], items[i - 1]);
                sum += int(float(items[i]));
                radix.push_back(sorted[TILE - 1 - i]);
                merged.push_back(sorted[i]);
                sums.push_back(from<T>(sum));
                heads.push_back(head);
                differences.push_back(i == 0 ? items[0] : from<T>(head));
                exchanged.push_back(items[i / ITEMS + i % ITEMS * THREADS]);
            }
            greatest.push_back(sorted.back());
            bins.insert(bins.end(), count, count + BINS);
        }
        Array<T> in(values), r(n), m(n), s(n), g(tiles), d(n), e(n);
        Array<int> h(n), b(tiles * BINS);
        blocks<T><<<unsigned(tiles), THREADS>>>(in.get(), n, last, {r.get(), m.get(), s.get(), g.get(), d.get(), e.get(), h.get(), b.get()});
        CHECK(cudaGetLastError());
        verdict.expect(same(r.read(), radix), "radix sort of a block");
        verdict.expect(same(m.read(), merged), "merge sort of a block");
        verdict.expect(same(s.read(), sums), "scan of a block");
        verdict.expect(same(g.read(), greatest), "reduction of a block");
        verdict.expect(same(d.read(), differences), "differences of neighbours");
        verdict.expect(same(e.read(), exchanged), "exchange");
        verdict.expect(same(h.read(), heads), "heads of runs");
        verdict.expect(same(b.read(), bins), "histogram of a block");
    }

    static void of_warps(const std::vector<T>& values, T last, Verdict& verdict) {
        size_t n = values.size(), blocks = (n + THREADS - 1) / THREADS;
        std::vector<T> sums, maxima, sorted;
        for (size_t start = 0; start < blocks * THREADS; start += 32) {
            std::vector<T> items = tile_of(values, start, 32, last);
            int sum = 0;
            T greatest = items[0];
            for (size_t i = 0; i < 32; ++i) {
                sum += int(float(items[i]));
                greatest = i % 16 == 0 || less(greatest, items[i]) ? items[i] : greatest;
                if (start + i < n) maxima.push_back(greatest);
            }
            if (start < n) sums.push_back(from<T>(sum));
            std::sort(items.begin(), items.end(), less<T>);
            sorted.insert(sorted.end(), items.begin(), items.end());
        }
        Array<T> in(values), s(sums.size()), m(n), o(sorted.size());
        warps<T><<<unsigned(blocks), THREADS>>>(in.get(), n, last, s.get(), m.get(), o.get());
        CHECK(cudaGetLastError());
        verdict.expect(same(s.read(), sums), "sum of a warp");
        verdict.expect(same(m.read(), maxima), "scan of half a warp");
        verdict.expect(same(o.read(), sorted), "merge sort of a warp");
    }
};

int main(int count, char** arguments) { return run_cases<Block, TYPES>(count, arguments); }
