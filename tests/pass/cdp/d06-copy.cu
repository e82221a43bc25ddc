// The twin of fail/cdp/d06-copy.cu: the source is global memory.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void parent(int* stage, int* out) {
    stage[threadIdx.x] = threadIdx.x * threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        cudaMemcpyAsync(out, stage, 64 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
}

int main() {
    int *stage = zeros<int>(64), *out = zeros<int>(64);
    parent<<<1, 64>>>(stage, out);
    return verdict(wrong(out, 64, [](int i) { return i * i; }));
}
