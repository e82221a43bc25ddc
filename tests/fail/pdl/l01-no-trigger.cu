// l01: nobody triggers, and the second kernel never waits: the end of all blocks is no completion.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void produce(unsigned char* p) { p[threadIdx.x] = threadIdx.x ^ 5; }

__global__ void consume(const unsigned char* p, int* sum) {
    atomicAdd(sum, p[threadIdx.x]);  //~ race/pdl pdl/no-wait
}

int main() {
    unsigned char* p = zeros<unsigned char>(128);
    int* sum = zeros<int>(1);
    cudaStream_t stream = stream_of_its_own();
    produce<<<1, 128, 0, stream>>>(p);
    early(consume, 1, 128, stream, p, sum);
    return verdict(wrong(sum, 1, [](int) { return 127 * 64; }));
}
