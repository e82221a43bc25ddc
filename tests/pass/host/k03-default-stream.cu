// k03: the legacy default stream between two blocking streams orders them, both ways.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void one(int* p) { p[threadIdx.x] = threadIdx.x; }
__global__ void two(int* p) { p[threadIdx.x] *= 2; }
__global__ void three(const int* p, int* out) { out[63 - threadIdx.x] = p[threadIdx.x]; }

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    one<<<1, 64, 0, first>>>(p);
    two<<<1, 64>>>(p);
    three<<<1, 64, 0, second>>>(p, out);
    return verdict(wrong(out, 64, [](int i) { return 2 * (63 - i); }));
}
