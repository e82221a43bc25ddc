// The twin of fail/cdp/d20-burst-of-blocks.cu: a pool for the worst case.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
//@pool worst-case=256 lost=0
#include "../../case.h"

__global__ void count(unsigned* cell) { atomicAdd(cell, 1); }

__global__ void parent(unsigned* cells) {
    for (int k = 0; k < 4; ++k)
        count<<<1, 2>>>(cells + blockIdx.x);
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 256));
    unsigned* cells = zeros<unsigned>(16);
    parent<<<16, 4>>>(cells);
    return verdict(wrong(cells, 16, [](int) { return 32; }));
}
