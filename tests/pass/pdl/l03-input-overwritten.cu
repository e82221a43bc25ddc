// The twin of fail/pdl/l03-input-overwritten.cu: it clears behind its wait.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void sum(const int* p, int* out) {
    trigger();
    out[threadIdx.x] = p[threadIdx.x] + p[(threadIdx.x + 1) % 64];
}

__global__ void refill(int* p, const int* sums) {
    wait();
    p[threadIdx.x] = 7;
    p[threadIdx.x] += sums[threadIdx.x];
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t stream = stream_of_its_own();
    sum<<<1, 64, 0, stream>>>(p, out);
    early(refill, 1, 64, stream, p, out);
    return verdict(wrong(p, 64, [](int) { return 7; }));
}
