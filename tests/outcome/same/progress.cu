// A kernel looks how far another one is, at a counter of atomics, and keeps what it saw.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void work(int* done) {
    __threadfence();
    atomicAdd(done, 1);
}
__global__ void look(const volatile int* done, int* seen) { seen[threadIdx.x] = *done; }

int main() {
    int *done = zeros<int>(1), *seen = zeros<int>(32);
    cudaStream_t a, b;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    look<<<1, 32, 0, b>>>(done, seen);
    work<<<8, 32, 0, a>>>(done);
    return verdict(wrong(done, 1, [](int) { return 256; }));
}
