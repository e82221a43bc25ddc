// The twin of fail/pdl/l07-far.cu: the last one is launched as usual.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
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
    table[threadIdx.x] = 9;
}

int main() {
    long long *table = zeros<long long>(64), *out = zeros<long long>(64);
    int* counter = zeros<int>(1);
    cudaStream_t stream = stream_of_its_own();
    gather<<<2, 32, 0, stream>>>(table, out);
    early(count, 1, 32, stream, counter);
    early(count, 3, 32, stream, counter);
    overwrite<<<1, 64, 0, stream>>>(table);
    return verdict(wrong(table, 64, [](int) { return 9; }) + wrong(out, 64, [](int) { return 0; }));
}
