// The twin of fail/grid/g03-divergent.cu: all threads execute both barriers.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void halves(int* out) {
    __shared__ int cell[32];
    int i = threadIdx.x;
    cell[i] = i;
    __syncthreads();
    if (i < 16) out[i] = cell[31 - i];
    __syncthreads();
    if (i >= 16) out[i] = cell[31 - i];
}

int main() {
    int* out = zeros<int>(32);
    halves<<<1, 32>>>(out);
    return verdict(wrong(out, 32, [](int i) { return 31 - i; }));
}
