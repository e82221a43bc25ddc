// The twin of fail/grid/g01-shared.cu: a barrier between the two.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void sign(int* out) {
    __shared__ int cell;
    if (threadIdx.x == 0) cell = 1;
    __syncthreads();
    if (threadIdx.x == 32)
        cell = 2;
    __syncthreads();
    out[threadIdx.x] = cell;
}

int main() {
    int* out = zeros<int>(64);
    sign<<<1, 64>>>(out);
    return verdict(wrong(out, 64, [](int) { return 2; }));
}
