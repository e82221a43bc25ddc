// The twin of fail/grid/g01-ldmatrix.cu: a barrier between the two.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void turn(const unsigned short* in, unsigned* out) {
    __shared__ __align__(16) unsigned short tile[64];
    unsigned i = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(&tile[8 * (i % 8)]), pair;
    if (i < 32) {
        tile[i] = in[i];
        tile[i + 32] = in[i + 32];
    }
    __syncthreads();
    if (i >= 32) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(pair) : "r"(at) : "memory");
        out[i - 32] = pair;
    }
}

__global__ void count(unsigned short* in) { in[threadIdx.x] = threadIdx.x; }

int main() {
    unsigned short* in = zeros<unsigned short>(64);
    unsigned* out = zeros<unsigned>(32);
    count<<<1, 64>>>(in);
    turn<<<1, 64>>>(in, out);
    return verdict(wrong(out, 32, [](int lane) {
        int column = lane / 4, row = lane % 4 * 2;
        return (8 * row + column) | (8 * (row + 1) + column) << 16;
    }));
}
