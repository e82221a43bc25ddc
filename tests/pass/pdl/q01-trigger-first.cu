// q01: the trigger first, the stores later, and every reader waits before its first access: the classic false alarm.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void produce(int* p) {
    trigger();
    for (int round = 0; round < 8; ++round) p[blockIdx.x * blockDim.x + threadIdx.x] += round;
}

__global__ void consume(const int* p, int* out) {
    __shared__ int staged[64];
    staged[threadIdx.x] = 2;
    __syncthreads();
    wait();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = staged[63 - threadIdx.x] * p[(i + 64) % 256];
}

int main() {
    int *p = zeros<int>(256), *out = zeros<int>(256);
    cudaStream_t stream = stream_of_its_own();
    produce<<<4, 64, 0, stream>>>(p);
    early(consume, 4, 64, stream, p, out);
    return verdict(wrong(out, 256, [](int) { return 56; }));
}
