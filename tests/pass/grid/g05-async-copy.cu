// Asynchronous copies into shared memory in two stages (cp.async, with groups or an mbarrier, and in bulk), partly beyond the end of the input.
//
// build: -arch=sm_90 -std=c++17 -lineinfo
#include <cuda/barrier>
#include <cuda_pipeline.h>
#include <utility>

#include "../../case.h"

constexpr int THREADS = 64;

__global__ void stages(const int* in, int* out, int n) {
    __shared__ __align__(16) int tile[2][THREADS];
    int tiles = (n + THREADS - 1) / THREADS;
    auto fetch = [&](int t) {
        int at = t * THREADS + threadIdx.x;
        __pipeline_memcpy_async(&tile[t % 2][threadIdx.x], &in[at < n ? at : 0], 4, at < n ? 0 : 4);
        __pipeline_commit();
    };
    fetch(0);
    int sum = 0;
    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles) fetch(t + 1);
        __pipeline_wait_prior(t + 1 < tiles ? 1 : 0);
        __syncthreads();
        sum += tile[t % 2][THREADS - 1 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

__global__ void barrier(const int4* in, int4* out) {
    __shared__ int4 tile[THREADS];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
    if (threadIdx.x == 0) init(&arrived, THREADS);
    __syncthreads();
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int4));
    __pipeline_arrive_on(reinterpret_cast<__mbarrier_t*>(cuda::device::barrier_native_handle(arrived)));
    arrived.arrive_and_wait();
    out[threadIdx.x] = tile[(threadIdx.x + 1) % THREADS];
}

__global__ void bulk(const int4* in, int4* out) {
    __shared__ __align__(16) int4 tile[THREADS];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
    if (threadIdx.x == 0) init(&arrived, THREADS);
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(tile, in, cuda::aligned_size_t<16>(sizeof tile), arrived);
        token = cuda::device::barrier_arrive_tx(arrived, 1, sizeof tile);
    } else {
        token = arrived.arrive();
    }
    arrived.wait(std::move(token));
    out[threadIdx.x] = tile[(threadIdx.x + 1) % THREADS];
}

__global__ void count(int* in) { in[threadIdx.x] = threadIdx.x; }

int main() {
    const int n = 250;
    int *in = zeros<int>(4 * THREADS), *sums = zeros<int>(THREADS), *copied = zeros<int>(4 * THREADS),
        *moved = zeros<int>(4 * THREADS);
    count<<<1, 4 * THREADS>>>(in);
    stages<<<1, THREADS>>>(in, sums, n);
    barrier<<<1, THREADS>>>(reinterpret_cast<int4*>(in), reinterpret_cast<int4*>(copied));
    bulk<<<1, THREADS>>>(reinterpret_cast<int4*>(in), reinterpret_cast<int4*>(moved));
    int bad = wrong(sums, THREADS, [](int i) {
        int sum = 0;
        for (int t = 0; t < 4; ++t) {
            int at = t * THREADS + THREADS - 1 - i;
            sum += at < n ? at : 0;
        }
        return sum;
    });
    bad += wrong(copied, 4 * THREADS, [](int i) { return (i + 4) % (4 * THREADS); });
    bad += wrong(moved, 4 * THREADS, [](int i) { return (i + 4) % (4 * THREADS); });
    return verdict(bad);
}
