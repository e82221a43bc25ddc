// The twin of fail/cdp/d11-own-tail.cu: it does not wait.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__device__ unsigned done;

__global__ void finish(unsigned* out) {
    *out = 9;
    atomicExch(&done, 1);
}

__global__ void parent(unsigned* out) {
    if (threadIdx.x == 40) finish<<<1, 1, 0, cudaStreamTailLaunch>>>(out);
    __syncthreads();
}

int main() {
    unsigned* out = zeros<unsigned>(1);
    parent<<<1, 64>>>(out);
    return verdict(wrong(out, 1, [](int) { return 9; }));
}
