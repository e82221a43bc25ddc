// g01: device functions chosen from a table by the host's argument; two kernels share one of them.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

using Write = void (*)(double*, int);

__device__ __noinline__ void own(double* p, int i) { p[i] = i + 0.25; }
__device__ __noinline__ void shared(double* p, int i) {
    p[i / 256] = i + 0.25;  //~ race/grid race/block
}

__device__ Write table[] = {own, shared};

__global__ void each(double* p, int which) { table[which](p, blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void last(double* p, int which) {
    if (threadIdx.x + 1 == blockDim.x) table[which](p, blockIdx.x * blockDim.x + threadIdx.x);
}

int main() {
    double* p = zeros<double>(256);
    each<<<2, 128>>>(p, 0);
    last<<<2, 128>>>(p, 1);
    each<<<1, 64>>>(p, 1);
    return verdict(wrong(p, 256, [](int i) { return i == 0 ? 63.25 : i + 0.25; }));
}
