// l03: the second kernel clears, before its wait, what the first one still reads.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void sum(const int* p, int* out) {
    trigger();
    out[threadIdx.x] = p[threadIdx.x] + p[(threadIdx.x + 1) % 64];  //~ race/pdl
}

__global__ void refill(int* p, const int* sums) {
    p[threadIdx.x] = 7;  //~ race/pdl
    wait();
    p[threadIdx.x] += sums[threadIdx.x];
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t stream = stream_of_its_own();
    sum<<<1, 64, 0, stream>>>(p, out);
    early(refill, 1, 64, stream, p, out);
    return verdict(wrong(p, 64, [](int) { return 7; }));
}
