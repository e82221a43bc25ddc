// d15: tails of two warps: one replaces a number of eight bytes, the other one scales it.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void replace(double* p) { p[threadIdx.x] = 10; }

__global__ void scale(double* p) {
    p[threadIdx.x] *= 3;  //~ race/tail
}

__global__ void parent(double* p) {
    if (threadIdx.x == 0) replace<<<1, 5, 0, cudaStreamTailLaunch>>>(p);
    if (threadIdx.x == 33) scale<<<1, 5, 0, cudaStreamTailLaunch>>>(p);
}

int main() {
    double* p = zeros<double>(5);
    parent<<<1, 64>>>(p);
    return verdict(wrong(p, 5, [](int) { return 30; }));
}
