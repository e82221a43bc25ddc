// The twin of fail/grid/g02-successor.cu: each block waits for the one before it, which has started.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

constexpr int BLOCKS = 600;

__global__ void chain(volatile int* ready, double* out) {
    __shared__ double tile[6144];
    tile[threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        int other = int(blockIdx.x) - 1;
        if (other >= 0)
            while (ready[other] == 0) {}
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
