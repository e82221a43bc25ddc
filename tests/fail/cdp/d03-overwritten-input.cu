// d03: the other direction: the child overwrites what other threads of the parent still have to read.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void clear(short* p) {
    p[threadIdx.x] = -1;  //~ race/parent-child
}

__global__ void parent(short* p, short* out) {
    short own = p[threadIdx.x];
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
