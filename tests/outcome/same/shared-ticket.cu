// A ticket goes through shared memory, where all threads read it often.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void number(int* next, int* out) {
    __shared__ int place;
    if (threadIdx.x == 0) place = atomicAdd(next, 1);
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 8; ++i) sum += place * (i + *static_cast<volatile int*>(&out[blockIdx.x * blockDim.x + threadIdx.x]));
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + place;
}

int main() {
    int *next = zeros<int>(1), *out = zeros<int>(8 * 64);
    number<<<8, 64>>>(next, out);
    return verdict(wrong(next, 1, [](int) { return 8; }));
}
