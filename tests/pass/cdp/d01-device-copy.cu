// The twin of fail/cdp/d01-device-copy.cu: a second grid of the same block's NULL stream uses the copy.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void halve(const double* to, double* out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = 0.5 * to[i];
}

__global__ void parent(const double* from, double* to, double* out, int n) {
    if (threadIdx.x != 0) return;
    cudaMemcpyAsync(to, from, n * sizeof(double), cudaMemcpyDeviceToDevice, 0);
    halve<<<1, blockDim.x>>>(to, out, n);
}

__global__ void number(double* p) { p[threadIdx.x] = threadIdx.x; }

int main() {
    double *from = zeros<double>(96), *to = zeros<double>(96), *out = zeros<double>(96);
    number<<<1, 96>>>(from);
    parent<<<1, 32>>>(from, to, out, 96);
    return verdict(wrong(out, 96, [](int i) { return 0.5 * i; }));
}
