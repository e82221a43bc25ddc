// d06: which pointer the child gets is decided when the kernel runs.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void fill(unsigned char* p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = 'x';
}

__global__ void parent(unsigned char* out, int n, int room) {
    __shared__ unsigned char small[64];
    if (threadIdx.x < 64) small[threadIdx.x] = 0;
    __syncthreads();
    unsigned char* target = n <= room ? small : out;
    if (threadIdx.x == 0) fill<<<1, 32>>>(target, n);  //~ pointer/private
    __syncthreads();
    if (target == small && threadIdx.x < n) out[threadIdx.x] = small[threadIdx.x];
}

int main() {
    unsigned char* out = zeros<unsigned char>(48);
    parent<<<1, 64>>>(out, 48, 64);
    return verdict(wrong(out, 48, [](int) { return 'x'; }));
}
