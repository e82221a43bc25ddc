// The twin of fail/grid/g02-barrier.cu: few blocks, which fit.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

constexpr int BLOCKS = 43;

__device__ unsigned arrived;

__global__ void phases(int* p, int* out) {
    p[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) < gridDim.x) {}
    __threadfence();
    out[blockIdx.x] = p[gridDim.x - 1 - blockIdx.x];
}

int main() {
    int *p = zeros<int>(BLOCKS), *out = zeros<int>(BLOCKS);
    phases<<<BLOCKS, 1>>>(p, out);
    return verdict(wrong(out, BLOCKS, [](int i) { return BLOCKS - i; }));
}
