// l06: the last of four kernels overwrites, before its wait, what the first one still reads.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void gather(const float* table, float* out) {
    trigger();
    out[threadIdx.x] = table[63 - threadIdx.x];  //~ race/pdl
}

__global__ void twice(float* x) {
    trigger();
    wait();
    x[threadIdx.x] *= 2;
}

__global__ void next_table(float* table, const float* x) {
    table[threadIdx.x] = -1;  //~ race/pdl
    wait();
    table[threadIdx.x] += x[threadIdx.x];
}

int main() {
    float *table = zeros<float>(64), *x = zeros<float>(64);
    cudaStream_t stream = stream_of_its_own();
    gather<<<1, 64, 0, stream>>>(table, x);
    early(twice, 1, 64, stream, x);
    early(twice, 1, 64, stream, x);
    early(next_table, 1, 64, stream, table, x);
    return verdict(wrong(table, 64, [](int) { return -1; }));
}
