// The twin of fail/host/h06-uninitialised.cu: all of it is set first.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void set(float* p) { p[2 * threadIdx.x] = 1; }

__global__ void sum(const float* p, int n, float* out) {
    float total = 0;
    for (int i = 0; i < n; ++i)
        total += p[i];
    *out = total;
}

int main() {
    float *p, *out = zeros<float>(1);
    CHECK(cudaMalloc(&p, 64 * sizeof(float)));
    CHECK(cudaMemset(p, 0, 64 * sizeof(float)));
    set<<<1, 32>>>(p);
    sum<<<1, 1>>>(p, 64, out);
    return verdict(wrong(out, 1, [](int) { return 32; }));
}
