// l07: two kernels without a wait stand between the one that reads a table and the one that overwrites it.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void gather(const long long* table, long long* out) {
    trigger();
    out[blockIdx.x * blockDim.x + threadIdx.x] = table[blockIdx.x * blockDim.x + threadIdx.x];
}

__global__ void count(int* counter) {
    trigger();
    atomicAdd(counter, 1);
}

__global__ void overwrite(long long* table) {
    wait();
    __syncthreads();
    table[threadIdx.x] = 9;  //~ pdl/chain
}

int main() {
    long long *table = zeros<long long>(64), *out = zeros<long long>(64);
    int* counter = zeros<int>(1);
    cudaStream_t stream = stream_of_its_own();
    gather<<<2, 32, 0, stream>>>(table, out);
    early(count, 1, 32, stream, counter);
    early(count, 3, 32, stream, counter);
    early(overwrite, 1, 64, stream, table);
    return verdict(wrong(table, 64, [](int) { return 9; }) + wrong(out, 64, [](int) { return 0; }));
}
