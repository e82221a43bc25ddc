// h06: every second element of fresh memory was set, and all are read.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void set(float* p) { p[2 * threadIdx.x] = 1; }

__global__ void sum(const float* p, int n, float* out) {
    float total = 0;
    for (int i = 0; i < n; ++i)
        total += p[i];  //~ memory/uninitialised
    *out = total;
}

int main() {
    float *p, *out = zeros<float>(1);
    CHECK(cudaMalloc(&p, 64 * sizeof(float)));
    set<<<1, 32>>>(p);
    sum<<<1, 1>>>(p, 64, out);
    return verdict(wrong(out, 1, [](int) { return 32; }));
}
