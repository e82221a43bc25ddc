// d12: a stream of the host as a kernel's argument.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void fill(double* p) { p[threadIdx.x] = 0.25; }

__global__ void parent(double* p, cudaStream_t stream) {
    if (threadIdx.x == 1)
        fill<<<1, 8, 0, stream>>>(p);  //~ stream/foreign
}

int main() {
    double* p = zeros<double>(8);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    parent<<<1, 2, 0, stream>>>(p, stream);
    return verdict(wrong(p, 8, [](int) { return 0.25; }));
}
