// d06: a child gets a pointer to shared memory.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void fill(int* p) { p[threadIdx.x] = 7; }

__global__ void parent(int* out) {
    __shared__ int cell[32];
    cell[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0) fill<<<1, 32, 0, cudaStreamFireAndForget>>>(cell);  //~ pointer/private
    __syncthreads();
    out[threadIdx.x] = cell[threadIdx.x];
}

int main() {
    int* out = zeros<int>(32);
    parent<<<1, 32>>>(out);
    return verdict(wrong(out, 32, [](int) { return 7; }));
}
