// g06: each block of a cluster stores into the next one, which reads before it has waited for the barrier.
//
// build: -arch=sm_90 -std=c++17 -lineinfo
#include "../../case.h"

constexpr int BLOCKS = 6, THREADS = 32;

__device__ unsigned place(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

__device__ void arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ void wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

__device__ void store_to(unsigned rank, double* shared, double value) {
    asm volatile(
        "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\nst.shared::cluster.f64 [there], %2;\n}" ::"r"(
            place(shared)),
        "r"(rank), "d"(value)
        : "memory");
}

// Blocks lie in two dimensions: 3 x 2 of them are a cluster.
__global__ void ring(double* out) {
    __shared__ double tile[THREADS];
    unsigned rank, blocks;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    tile[threadIdx.x] = -1;
    arrive();
    wait();
    store_to((rank + 1) % blocks, &tile[threadIdx.x], 100.0 * rank + threadIdx.x);
    arrive();
    out[(blockIdx.y * gridDim.x + blockIdx.x) * THREADS + threadIdx.x] = tile[THREADS - 1 - threadIdx.x];  //~ race/grid
    wait();
}

int main() {
    const int width = 6, height = 4;
    double* out = zeros<double>(width * height * THREADS);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {3, 2, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(width, height);
    config.blockDim = dim3(THREADS);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, ring, out));
    return verdict(wrong(out, width * height * THREADS, [](int i) {
        int block = i / THREADS, x = block % width, y = block / width;
        int rank = y % 2 * 3 + x % 3, before = (rank + BLOCKS - 1) % BLOCKS;
        return 100.0 * before + THREADS - 1 - i % THREADS;
    }));
}
