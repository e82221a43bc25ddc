// The twin of fail/grid/g01-blocks.cu: atomics.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void vote(int* cell) {
    if (threadIdx.x == 0)
        atomicMax(cell, blockIdx.x + 1);
}

int main() {
    int* cell = zeros<int>(1);
    vote<<<2, 32>>>(cell);
    return verdict(wrong(cell, 1, [](int) { return 2; }));
}
