// The twin of fail/grid/g01-halo.cu: the result goes to another array.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void smooth(const double* p, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double left = i > 0 ? p[i - 1] : 0, right = i + 1 < n ? p[i + 1] : 0;
    __syncthreads();
    out[i] = left + right;
}

int main() {
    double *p = zeros<double>(128), *out = zeros<double>(128);
    smooth<<<4, 32>>>(p, out, 128);
    return verdict(wrong(out, 128, [](int) { return 0; }));
}
