// g02: each block waits for the one after it; shared memory lets four blocks of 48 KiB share a multiprocessor, so 528 fit,
// and 600 are launched.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

constexpr int BLOCKS = 600;

__global__ void chain(volatile int* ready, double* out) {
    __shared__ double tile[6144];
    tile[threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        int other = blockIdx.x + 1;
        if (other < BLOCKS)
            while (ready[other] == 0) {}  //~ progress/residency
        ready[blockIdx.x] = 1;
    }
    out[blockIdx.x * 32 + threadIdx.x] = tile[31 - threadIdx.x];
}

int main() {
    int* ready = zeros<int>(BLOCKS);
    double* out = zeros<double>(BLOCKS * 32);
    chain<<<BLOCKS, 32>>>(ready, out);
    return verdict(wrong(out, BLOCKS * 32, [](int i) { return i / 32; }));
}
