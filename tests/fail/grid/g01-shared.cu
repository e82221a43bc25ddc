// g01: two threads of a block store to one shared cell with no barrier between. (Both stores become one instruction,
// which the compiler counts to the line of the barrier.)
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void sign(int* out) {
    __shared__ int cell;
    if (threadIdx.x == 0) cell = 1;
    if (threadIdx.x == 32)
        cell = 2;
    __syncthreads();  //~ race/block
    out[threadIdx.x] = cell;
}

int main() {
    int* out = zeros<int>(64);
    sign<<<1, 64>>>(out);
    return verdict(wrong(out, 64, [](int) { return 2; }));
}
