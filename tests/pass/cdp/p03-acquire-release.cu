// p03: the ticket is an atomic with acquire and release semantics in PTX, and no fence is needed. Bytes.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__device__ unsigned arrived;

__device__ unsigned take(unsigned* ticket) {
    unsigned old;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(ticket) : "memory");
    return old;
}

__global__ void read(const unsigned char* p, int* out) { atomicAdd(out, int(p[threadIdx.x])); }

__global__ void parent(unsigned char* p, int* out) {
    p[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0 && take(&arrived) == gridDim.x - 1)
        read<<<1, gridDim.x * blockDim.x, 0, cudaStreamFireAndForget>>>(p, out);
}

int main() {
    unsigned char* p = zeros<unsigned char>(12 * 32);
    int* out = zeros<int>(1);
    parent<<<12, 32>>>(p, out);
    return verdict(wrong(out, 1, [](int) { return 32 * 66; }));
}
