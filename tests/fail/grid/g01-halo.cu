// g01: a stencil in place: blocks read the neighbouring block's first and last element while that one replaces them.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void smooth(double* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double left = i > 0 ? p[i - 1] : 0, right = i + 1 < n ? p[i + 1] : 0;
    __syncthreads();
    p[i] = left + right;  //~ race/grid
}

int main() {
    double* p = zeros<double>(128);
    smooth<<<4, 32>>>(p, 128);
    return verdict(wrong(p, 128, [](int) { return 0; }));
}
