// The twin of fail/pdl/l06-overwrites.cu: the last one is launched as usual.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void gather(const float* table, float* out) {
    trigger();
    out[threadIdx.x] = table[63 - threadIdx.x];
}

__global__ void twice(float* x) {
    trigger();
    wait();
    x[threadIdx.x] *= 2;
}

__global__ void next_table(float* table, const float* x) {
    table[threadIdx.x] = -1;
    wait();
    table[threadIdx.x] += x[threadIdx.x];
}

int main() {
    float *table = zeros<float>(64), *x = zeros<float>(64);
    cudaStream_t stream = stream_of_its_own();
    gather<<<1, 64, 0, stream>>>(table, x);
    early(twice, 1, 64, stream, x);
    early(twice, 1, 64, stream, x);
    next_table<<<1, 64, 0, stream>>>(table, x);
    return verdict(wrong(table, 64, [](int) { return -1; }));
}
