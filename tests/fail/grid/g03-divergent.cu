// g03: one half of a warp is at one barrier and the other half at the next one. A machine that only counts arrivals lets it
// pass.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void halves(int* out) {
    __shared__ int cell[32];
    int i = threadIdx.x;
    cell[i] = i;
    if (i < 16) {
        __syncthreads();  //~ progress/barrier
        out[i] = cell[31 - i];
    }
    __syncthreads();
    if (i >= 16) out[i] = cell[31 - i];
}

int main() {
    int* out = zeros<int>(32);
    halves<<<1, 32>>>(out);
    return verdict(wrong(out, 32, [](int i) { return 31 - i; }));
}
