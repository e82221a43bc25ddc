// d01: the child is a copy: a kernel starts cudaMemcpyAsync and uses the target at once.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void parent(const double* from, double* to, double* out, int n) {
    if (threadIdx.x == 0) cudaMemcpyAsync(to, from, n * sizeof(double), cudaMemcpyDeviceToDevice, 0);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = 0.5 * to[i];  //~ race/parent-child
}

__global__ void number(double* p) { p[threadIdx.x] = threadIdx.x; }

int main() {
    double *from = zeros<double>(96), *to = zeros<double>(96), *out = zeros<double>(96);
    number<<<1, 96>>>(from);
    parent<<<1, 32>>>(from, to, out, 96);
    return verdict(wrong(out, 96, [](int i) { return 0.5 * i; }));
}
