// The twin of fail/cdp/d06-shared.cu: the child writes global memory.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void fill(int* p) { p[threadIdx.x] = 7; }

__global__ void parent(int* out) {
    if (threadIdx.x == 0) fill<<<1, 32, 0, cudaStreamFireAndForget>>>(out);
}

int main() {
    int* out = zeros<int>(32);
    parent<<<1, 32>>>(out);
    return verdict(wrong(out, 32, [](int) { return 7; }));
}
