// Two children of one thread, which nothing orders: the last one's value stays, and the tail carries it into another array.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void child(volatile int* p, int value) { *p = value; }  //~ advice/outcome
__global__ void tail(const int* p, int* out) { out[threadIdx.x] = *p + threadIdx.x; }  //~ advice/outcome

__global__ void parent(int* p, int* out) {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(p, 10);
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(p, 20);
    tail<<<1, 64, 0, cudaStreamTailLaunch>>>(p, out);
}

int main() {
    int *p = zeros<int>(1), *out = zeros<int>(64);
    parent<<<1, 1>>>(p, out);
    CHECK(cudaDeviceSynchronize());
    return verdict(0);
}
