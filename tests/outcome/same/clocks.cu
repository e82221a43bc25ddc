// Clocks, the number of the grid, events: how long something took.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void measure(long long* ticks, unsigned long long* when, unsigned long long* grid) {
    long long start = clock64();
    unsigned long long now, number;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(number));
    when[blockIdx.x] = now;
    grid[blockIdx.x] = number;
    ticks[blockIdx.x] = clock64() - start;
}
__global__ void fill(float* out, float value) { *out = value; }

int main() {
    long long* ticks = zeros<long long>(4);
    unsigned long long *when = zeros<unsigned long long>(8), *grid = zeros<unsigned long long>(8);
    float* out = zeros<float>(1);
    cudaStream_t a, b;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(start, a));
    measure<<<2, 1, 0, a>>>(ticks, when, grid);
    measure<<<2, 1, 0, b>>>(ticks + 2, when + 4, grid + 4);
    CHECK(cudaEventRecord(end, a));
    CHECK(cudaDeviceSynchronize());
    float took;
    CHECK(cudaEventElapsedTime(&took, start, end));
    fill<<<1, 1>>>(out, took);
    CHECK(cudaDeviceSynchronize());
    return verdict(0);
}
