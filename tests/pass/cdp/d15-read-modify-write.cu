// The twin of fail/cdp/d15-read-modify-write.cu: a barrier orders the two launches.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void replace(double* p) { p[threadIdx.x] = 10; }

__global__ void scale(double* p) {
    p[threadIdx.x] *= 3;
}

__global__ void parent(double* p) {
    if (threadIdx.x == 0) replace<<<1, 5, 0, cudaStreamTailLaunch>>>(p);
    __syncthreads();
    if (threadIdx.x == 33) scale<<<1, 5, 0, cudaStreamTailLaunch>>>(p);
}

int main() {
    double* p = zeros<double>(5);
    parent<<<1, 64>>>(p);
    return verdict(wrong(p, 5, [](int) { return 30; }));
}
