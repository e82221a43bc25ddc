// d11: a grid polls its own tail, which starts only after it: the wait never ends.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__device__ unsigned done;

__global__ void finish(unsigned* out) {
    *out = 9;
    atomicExch(&done, 1);
}

__global__ void parent(unsigned* out) {
    if (threadIdx.x == 40) finish<<<1, 1, 0, cudaStreamTailLaunch>>>(out);
    __syncthreads();
    if (threadIdx.x == 0)
        while (atomicAdd(&done, 0) == 0) {}  //~ progress/spin
    __syncthreads();
}

int main() {
    unsigned* out = zeros<unsigned>(1);
    parent<<<1, 64>>>(out);
    return verdict(wrong(out, 1, [](int) { return 9; }));
}
