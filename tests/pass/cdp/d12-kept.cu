// The twin of fail/cdp/d12-kept.cu: the second grid creates one of its own.
//
// build: -arch=sm_90 -rdc=true -lcudadevrt
//@gpu
#include "../../case.h"

__device__ cudaStream_t kept;

__global__ void add(unsigned char* p, int value) { p[threadIdx.x] += value; }

__global__ void first(unsigned char* p) {
    cudaStreamCreateWithFlags(&kept, cudaStreamNonBlocking);
    add<<<1, 20, 0, kept>>>(p, 3);
}

__global__ void second(unsigned char* p) {
    cudaStreamCreateWithFlags(&kept, cudaStreamNonBlocking);
    add<<<1, 20, 0, kept>>>(p, 4);
}

int main() {
    unsigned char* p = zeros<unsigned char>(20);
    first<<<1, 1>>>(p);
    second<<<1, 1>>>(p);
    return verdict(wrong(p, 20, [](int) { return 7; }));
}
