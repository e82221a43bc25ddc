// d06: shared memory is the source of a device-side copy, whose answer nobody reads.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void parent(int* stage, int* out) {
    __shared__ int cell[64];
    cell[threadIdx.x] = threadIdx.x * threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        cudaMemcpyAsync(out, cell, sizeof cell, cudaMemcpyDeviceToDevice, 0);  //~ pointer/private
}

int main() {
    int *stage = zeros<int>(64), *out = zeros<int>(64);
    parent<<<1, 64>>>(stage, out);
    return verdict(wrong(out, 64, [](int i) { return i * i; }));
}
