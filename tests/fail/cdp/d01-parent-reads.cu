// d01: a parent reads what its fire-and-forget child writes. The barrier orders threads of the parent, not the child.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void produce(int* p) { p[threadIdx.x] = 2 * threadIdx.x + 1; }

__global__ void parent(int* p, int* out) {
    if (threadIdx.x == 0) produce<<<1, 32, 0, cudaStreamFireAndForget>>>(p);
    __syncthreads();
    out[threadIdx.x] = p[threadIdx.x];  //~ race/parent-child
}

int main() {
    int *p = zeros<int>(32), *out = zeros<int>(32);
    parent<<<1, 32>>>(p, out);
    return verdict(wrong(out, 32, [](int i) { return 2 * i + 1; }));
}
