// g01: a reduction by halves whose last steps run without a barrier, as if a warp were in lockstep.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void sum(const float* p, float* out) {
    __shared__ float cell[128];
    int i = threadIdx.x;
    cell[i] = p[i];
    for (int half = 64; half > 0; half /= 2) {
        if (half >= 32) __syncthreads();
        if (i < half)
            cell[i] += cell[i + half];  //~ race/block
    }
    if (i == 0) *out = cell[0];
}

__global__ void ones(float* p) { p[threadIdx.x] = 1; }

int main() {
    float *p = zeros<float>(128), *out = zeros<float>(1);
    ones<<<1, 128>>>(p);
    sum<<<1, 128>>>(p, out);
    return verdict(wrong(out, 1, [](int) { return 128; }));
}
