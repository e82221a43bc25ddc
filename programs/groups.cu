// Cooperative groups over ten data types: reductions and scans of tiles (of 8, of 32, of 128 threads in several warps),
// partitions by label and by predicate, coalesced groups that take one ticket together, barriers of the grid, copies of a block.
// Against loops on the host.
// Usage: groups [TYPE|all [SIZE,...|all]]
//
// build: groups -gencode arch=compute_90,code=compute_90 -std=c++17 -O2
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "typed.h"

namespace cg = cooperative_groups;

constexpr int THREADS = 256;

template <class T> struct Add {
    __device__ T operator()(T a, T b) const { return T(a + b); }
};
template <class T> struct Greatest {
    __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

// The sum of everything by one cooperative grid: each tile reduces, each block adds its tiles, block 0 adds the blocks.
template <class T> __global__ void sum_of_grid(const T* in, size_t n, T* of_blocks, T* out) {
    __shared__ T of_tiles[THREADS / 32];
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    T sum = T(0);
    for (size_t i = grid.thread_rank(); i < n; i += grid.num_threads()) sum = T(sum + in[i]);
    auto add_block = [&]() {
        // By shuffles of our own, as older code does it.
        for (int offset = 16; offset > 0; offset /= 2) sum = T(sum + tile.shfl_down(sum, offset));
        if (tile.thread_rank() == 0) of_tiles[tile.meta_group_rank()] = sum;
        block.sync();
        sum = block.thread_rank() < tile.meta_group_size() ? of_tiles[block.thread_rank()] : T(0);
        if (tile.meta_group_rank() == 0) sum = cg::reduce(tile, sum, Add<T>());
    };
    add_block();
    if (block.thread_rank() == 0) of_blocks[grid.block_rank()] = sum;
    grid.sync();
    if (grid.block_rank() != 0) return;
    sum = T(0);
    for (unsigned i = block.thread_rank(); i < grid.num_blocks(); i += block.num_threads()) sum = T(sum + of_blocks[i]);
    add_block();
    if (block.thread_rank() == 0) *out = sum;
}

// Inclusive sums of the whole array by doubling steps, with a barrier of the grid after each.
template <class T> __global__ void scan_of_grid(T* from, T* to, size_t n) {
    cg::grid_group grid = cg::this_grid();
    for (size_t step = 1; step < n; step *= 2) {
        for (size_t i = grid.thread_rank(); i < n; i += grid.num_threads()) to[i] = i >= step ? T(from[i] + from[i - step]) : from[i];
        grid.sync();
        T* other = from;
        from = to;
        to = other;
    }
}

// Tiles of 8, 32 and 128: sums, maxima so far, sums by several warps.
template <class T> __global__ void tiles(const T* in, T* sums, T* maxima, T* wide) {
    __shared__ cg::block_tile_memory<THREADS> memory;
    cg::thread_block block = cg::this_thread_block(memory);
    size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x;
    auto eight = cg::tiled_partition<8>(block);
    auto warp = cg::tiled_partition<32>(block);
    auto many = cg::tiled_partition<128>(block);
    sums[i] = cg::reduce(eight, in[i], Add<T>());
    maxima[i] = cg::inclusive_scan(warp, in[i], Greatest<T>());
    wide[i] = cg::reduce(many, in[i], Add<T>());
}

// Each value's rank among those of its warp with the same value, how many they are, and how many are above one half; then those
// above one half are written together, each group taking its places by one atomic operation of its first thread.
template <class T> __global__ void partitions(const T* in, size_t n, int* ranks, int* sizes, int* halves, int* taken, T* chosen) {
    size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int label = int(float(in[i]));
    auto alike = cg::labeled_partition(warp, label);
    ranks[i] = alike.thread_rank();
    sizes[i] = alike.num_threads();
    auto half = cg::binary_partition(warp, label > 0);
    halves[i] = half.num_threads();
    if (i < n && label > 0) {
        cg::coalesced_group together = cg::coalesced_threads();
        int first = 0;
        if (together.thread_rank() == 0) first = atomicAdd(taken, int(together.num_threads()));
        chosen[together.shfl(first, 0) + together.thread_rank()] = in[i];
    }
}

// A block's input comes by an asynchronous copy of the whole group and goes out backwards.
template <class T> __global__ void backwards(const T* in, T* out) {
    __shared__ T room[THREADS];
    cg::thread_block block = cg::this_thread_block();
    size_t start = size_t(blockIdx.x) * THREADS;
    cg::memcpy_async(block, room, in + start, sizeof room);
    cg::wait(block);
    out[start + threadIdx.x] = room[THREADS - 1 - threadIdx.x];
}

template <class F, class... Arguments> void launch_cooperatively(F kernel, size_t wanted, Arguments... arguments) {
    int resident = 0, multiprocessors = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, THREADS, 0));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    unsigned blocks = unsigned(std::max<size_t>(1, std::min<size_t>(wanted, size_t(resident) * multiprocessors)));
    void* pointers[] = {&arguments...};
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), blocks, THREADS, pointers, 0, nullptr));
}

template <class T> struct Groups {
    static void run(size_t n, Verdict& verdict) {
        std::vector<T> values = fill<T>(n, [n](size_t i) { return addend<T>(1, i, n); });
        size_t blocks = (n + THREADS - 1) / THREADS;
        int total = 0;
        std::vector<T> so_far;
        for (T value : values) so_far.push_back(from<T>(total += int(float(value))));
        Array<T> in(values), of_blocks(blocks + 1), out(1), other(n);
        launch_cooperatively(sum_of_grid<T>, blocks, (const T*)in.get(), n, of_blocks.get(), out.get());
        verdict.expect(same(out.read()[0], from<T>(total)), "sum by a cooperative grid");
        if (n <= 100003) {  // a step for each bit of n: too much work for more
            launch_cooperatively(scan_of_grid<T>, (blocks + 7) / 8, in.get(), other.get(), n);
            int steps = 0;
            while ((size_t(1) << steps) < n) ++steps;
            verdict.expect(same(steps % 2 != 0 ? other.read() : in.read(), so_far), "scan by barriers of the grid");
        }
        if (n == 0) return;  // no grid has no blocks
        std::vector<T> padded = fill<T>(blocks * THREADS, [n](size_t i) { return i < n ? few<T>(2, i) : from<T>(0); });
        of_tiles(padded, verdict);
        of_partitions(padded, n, verdict);
    }

    static void of_tiles(const std::vector<T>& values, Verdict& verdict) {
        size_t n = values.size();
        unsigned blocks = unsigned(n / THREADS);
        auto sum = [&](size_t i, size_t width) {
            int sum = 0;
            for (size_t j = i / width * width; j < (i / width + 1) * width; ++j) sum += int(float(values[j]));
            return from<T>(sum);
        };
        Array<T> in(values), sums(n), maxima(n), wide(n);
        tiles<T><<<blocks, THREADS>>>(in.get(), sums.get(), maxima.get(), wide.get());
        CHECK(cudaGetLastError());
        verdict.expect(same(sums.read(), fill<T>(n, [&](size_t i) { return sum(i, 8); })), "sums of tiles of 8");
        verdict.expect(same(wide.read(), fill<T>(n, [&](size_t i) { return sum(i, 128); })), "sums of tiles of 128");
        std::vector<T> greatest = values;
        for (size_t i = 0; i < n; ++i) {
            if (i % 32 != 0 && less(greatest[i], greatest[i - 1])) greatest[i] = greatest[i - 1];
        }
        verdict.expect(same(maxima.read(), greatest), "maxima so far of a warp");
        backwards<T><<<blocks, THREADS>>>(in.get(), sums.get());
        CHECK(cudaGetLastError());
        std::vector<T> reversed = fill<T>(n, [&](size_t i) { return values[i / THREADS * THREADS + THREADS - 1 - i % THREADS]; });
        verdict.expect(same(sums.read(), reversed), "asynchronous copy of a block");
    }

    static void of_partitions(const std::vector<T>& values, size_t n, Verdict& verdict) {
        size_t threads = values.size();
        std::vector<int> ranks(threads), sizes(threads), halves(threads);
        std::vector<T> above;
        for (size_t i = 0; i < threads; ++i) {
            for (size_t j = i / 32 * 32; j < (i / 32 + 1) * 32; ++j) {
                bool alike = same(values[i], values[j]);
                ranks[i] += alike && j < i;
                sizes[i] += alike;
                halves[i] += less(from<T>(0), values[i]) == less(from<T>(0), values[j]);
            }
            if (i < n && less(from<T>(0), values[i])) above.push_back(values[i]);
        }
        Array<T> in(values), chosen(above.size());
        Array<int> r(threads), s(threads), h(threads), taken(std::vector<int>(1, 0));
        partitions<T><<<unsigned(threads / THREADS), THREADS>>>(in.get(), n, r.get(), s.get(), h.get(), taken.get(), chosen.get());
        CHECK(cudaGetLastError());
        verdict.expect(same(r.read(), ranks) && same(s.read(), sizes), "partition by label");
        verdict.expect(same(h.read(), halves), "partition by predicate");
        std::vector<T> found = chosen.read();
        std::sort(found.begin(), found.end(), less<T>);
        std::sort(above.begin(), above.end(), less<T>);
        verdict.expect(taken.read()[0] == int(above.size()) && same(found, above), "tickets of coalesced groups");
    }
};

int main(int count, char** arguments) {
    return run_cases<Groups, int8_t, uint8_t, int16_t, int32_t, uint32_t, int64_t, uint64_t, __half, float, double>(count, arguments);
}
