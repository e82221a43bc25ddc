// q06: nobody triggers; what is launched as usual behind needs no wait, whatever stands in front.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void first(int* p) { p[threadIdx.x] = 4; }

__global__ void second(int* q) { q[threadIdx.x] = 1; }

__global__ void third(const int* p, const int* q, int* out) { out[threadIdx.x] = p[threadIdx.x] + q[threadIdx.x]; }

int main() {
    int *p = zeros<int>(64), *q = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t stream = stream_of_its_own();
    first<<<1, 64, 0, stream>>>(p);
    early(second, 1, 64, stream, q);
    third<<<1, 64, 0, stream>>>(p, q, out);
    return verdict(wrong(out, 64, [](int) { return 5; }));
}
