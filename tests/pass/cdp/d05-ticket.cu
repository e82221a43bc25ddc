// The twin of fail/cdp/d05-ticket.cu: fences on both sides of the ticket.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__device__ unsigned arrived;

__global__ void collect(const int* p, int n, int* out) {
    int total = 0;
    for (int i = 0; i < n; ++i)
        total += p[i];
    *out = total;
}

__global__ void parent(int* p, int* out) {
    p[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    unsigned ticket = atomicAdd(&arrived, 1);
    __threadfence();
    if (ticket == gridDim.x - 1) collect<<<1, 1, 0, cudaStreamFireAndForget>>>(p, gridDim.x, out);
}

int main() {
    int *p = zeros<int>(16), *out = zeros<int>(1);
    parent<<<16, 1>>>(p, out);
    return verdict(wrong(out, 1, [](int) { return 16 * 17 / 2; }));
}
