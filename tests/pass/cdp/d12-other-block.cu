// d12: any thread of the grid may use a stream: block 0 creates it, the other blocks launch into it.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__device__ cudaStream_t stream;
__device__ unsigned ready;

__global__ void add(int* p) { atomicAdd(p, 1); }

__global__ void parent(int* p) {
    if (blockIdx.x == 0) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        __threadfence();
        atomicExch(&ready, 1);
    } else {
        while (atomicAdd(&ready, 0) == 0) {}
        __threadfence();
    }
    add<<<1, 4, 0, stream>>>(p);
}

int main() {
    int* p = zeros<int>(1);
    parent<<<6, 1>>>(p);
    return verdict(wrong(p, 1, [](int) { return 24; }));
}
