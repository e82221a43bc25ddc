// g04: the same in shared memory, with bytes, and threads that overwrite a cell with what it holds.
//
// build: -arch=sm_90
//@gpu
#include "../../case.h"

__global__ void any(const unsigned char* p, unsigned char* out) {
    __shared__ bool odd;
    if (threadIdx.x == 0) odd = false;
    __syncthreads();
    if (p[blockIdx.x * blockDim.x + threadIdx.x] % 2) odd = true;  //~ advice/same-value
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = odd;
}

__global__ void fill(unsigned char* p) {
    p[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x == 1 ? threadIdx.x : 2 * threadIdx.x;
}

int main() {
    unsigned char *p = zeros<unsigned char>(3 * 96), *out = zeros<unsigned char>(3);
    fill<<<3, 96>>>(p);
    any<<<3, 96>>>(p, out);
    return verdict(wrong(out, 3, [](int i) { return i == 1; }));
}
