// q05: one warp waits, then a barrier of the block, then all read.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void produce(int* p) {
    trigger();
    p[blockIdx.x * blockDim.x + threadIdx.x] = 4;
}

__global__ void consume(const int* p, int* out) {
    if (threadIdx.x / 32 == 2) wait();
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = p[255 - i];
}

int main() {
    int *p = zeros<int>(256), *out = zeros<int>(256);
    cudaStream_t stream = stream_of_its_own();
    produce<<<2, 128, 0, stream>>>(p);
    early(consume, 2, 128, stream, p, out);
    return verdict(wrong(out, 256, [](int) { return 4; }));
}
