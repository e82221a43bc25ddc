// d06: what a child gets is the offset of a shared variable as a number of 32 bits and a small integer: neither is a pointer.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void child(unsigned offset, unsigned long long size, unsigned* out) { *out = offset % 4 + unsigned(size); }

__global__ void parent(unsigned* out) {
    __shared__ unsigned cell[8];
    cell[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned offset = unsigned(__cvta_generic_to_shared(&cell[3]));
        child<<<1, 1, 0, cudaStreamTailLaunch>>>(offset, cell[5], out);
    }
}

int main() {
    unsigned* out = zeros<unsigned>(1);
    parent<<<1, 8>>>(out);
    return verdict(wrong(out, 1, [](int) { return 5; }));
}
