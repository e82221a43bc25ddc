// d06: the launch is in a function that is not inlined and knows nothing of where its argument points.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void scale(double* p) { p[threadIdx.x] *= 4; }

__device__ __noinline__ bool scale_all(double* p, int n) {
    scale<<<1, n, 0, cudaStreamFireAndForget>>>(p);  //~ pointer/private
    return cudaGetLastError() == cudaSuccess;
}

__global__ void parent(double* out, int* failed) {
    double mine[3] = {out[0] + 1, out[1] + 2, out[2] + 3};
    if (!scale_all(mine, 3)) *failed = 1;
    for (int i = 0; i < 3; ++i) out[i] = mine[i];
}

int main() {
    double* out = zeros<double>(3);
    int* failed = zeros<int>(1);
    parent<<<1, 1>>>(out, failed);
    return verdict(wrong(out, 3, [](int i) { return 4 * (i + 1); }) + wrong(failed, 1, [](int) { return 0; }));
}
