// g02: a home-made barrier of the grid with more blocks than fit: the resident ones wait for blocks that start only when
// these end.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

constexpr int BLOCKS = 4300;  // 132 multiprocessors hold 32 blocks each: 4,224

__device__ unsigned arrived;

__global__ void phases(int* p, int* out) {
    p[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) < gridDim.x) {}  //~ progress/residency
    __threadfence();
    out[blockIdx.x] = p[gridDim.x - 1 - blockIdx.x];
}

int main() {
    int *p = zeros<int>(BLOCKS), *out = zeros<int>(BLOCKS);
    phases<<<BLOCKS, 1>>>(p, out);
    return verdict(wrong(out, BLOCKS, [](int i) { return BLOCKS - i; }));
}
