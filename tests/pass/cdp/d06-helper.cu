// The twin of fail/cdp/d06-helper.cu: the helper gets global memory.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void scale(double* p) { p[threadIdx.x] *= 4; }

__device__ __noinline__ bool scale_all(double* p, int n) {
    scale<<<1, n, 0, cudaStreamFireAndForget>>>(p);
    return cudaGetLastError() == cudaSuccess;
}

__global__ void parent(double* out, int* failed) {
    for (int i = 0; i < 3; ++i) out[i] += i + 1;
    if (!scale_all(out, 3)) *failed = 1;
}

int main() {
    double* out = zeros<double>(3);
    int* failed = zeros<int>(1);
    parent<<<1, 1>>>(out, failed);
    return verdict(wrong(out, 3, [](int i) { return 4 * (i + 1); }) + wrong(failed, 1, [](int) { return 0; }));
}
