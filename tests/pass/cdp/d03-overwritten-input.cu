// The twin of fail/cdp/d03-overwritten-input.cu: a barrier before the launch.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void clear(short* p) {
    p[threadIdx.x] = -1;
}

__global__ void parent(short* p, short* out) {
    short own = p[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) clear<<<1, blockDim.x, 0, cudaStreamFireAndForget>>>(p);
    out[threadIdx.x] = own + 1;
}

__global__ void number(short* p) { p[threadIdx.x] = threadIdx.x; }

int main() {
    short *p = zeros<short>(96), *out = zeros<short>(96);
    number<<<1, 96>>>(p);
    parent<<<1, 96>>>(p, out);
    return verdict(wrong(out, 96, [](int i) { return i + 1; }) + wrong(p, 96, [](int) { return -1; }));
}
