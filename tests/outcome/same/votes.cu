// What one lane learnt from an atomic reaches the others by shuffles, votes and barriers; a child gets it as an argument.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void child(int* out, int value) { out[threadIdx.x] = value; }

__global__ void share(int* next, int* out) {
    __shared__ int place;
    int first = threadIdx.x == 0 ? atomicAdd(next, 1) : 0;
    first = __shfl_sync(~0u, first, 0);
    int* mine = out + blockIdx.x * 256;
    mine[threadIdx.x] = first;
    mine[64 + threadIdx.x] = __any_sync(~0u, first & 1);
    if (threadIdx.x == 32) place = first;
    mine[128 + threadIdx.x] = __syncthreads_count(first & 1);
    if (threadIdx.x == 63) child<<<1, 64>>>(mine + 192, place);
}

int main() {
    int *next = zeros<int>(1), *out = zeros<int>(4 * 256);
    share<<<4, 64>>>(next, out);
    return verdict(wrong(next, 1, [](int) { return 4; }));
}
