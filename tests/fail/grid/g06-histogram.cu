// g06: blocks of a cluster count in each other's shared memory, and read their own part without waiting for the others.
//
// build: -arch=sm_90 -std=c++17 -lineinfo
#include <cooperative_groups.h>

#include "../../case.h"

namespace cg = cooperative_groups;
constexpr int BINS = 64, BLOCKS = 4, THREADS = 64;

// Each block of a cluster holds a part of the bins.
__global__ void __cluster_dims__(BLOCKS, 1, 1) histogram(const int* in, int* out, int n) {
    __shared__ int part[BINS / BLOCKS];
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < BINS / BLOCKS) part[threadIdx.x] = 0;
    cluster.sync();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        int bin = in[i] % BINS;
        int* there = cluster.map_shared_rank(part, bin / (BINS / BLOCKS));
        atomicAdd(&there[bin % (BINS / BLOCKS)], 1);
    }
    __syncthreads();
    if (threadIdx.x < BINS / BLOCKS)
        atomicAdd(&out[cluster.block_rank() * (BINS / BLOCKS) + threadIdx.x], part[threadIdx.x]);  //~ race/grid
    cluster.sync();
}

__global__ void fill(int* in) { in[blockIdx.x * THREADS + threadIdx.x] = blockIdx.x * THREADS + threadIdx.x; }

int main() {
    const int n = 32 * THREADS;
    int *in = zeros<int>(n), *out = zeros<int>(BINS);
    fill<<<32, THREADS>>>(in);
    histogram<<<2 * BLOCKS, THREADS>>>(in, out, n);
    return verdict(wrong(out, BINS, [](int) { return 32 * THREADS / BINS; }));
}
