// q02: one thread a block triggers, some blocks exit before, and the reader waits.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void produce(int* p, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x * blockDim.x >= length) return;
    if (threadIdx.x == 0) trigger();
    if (i < length) p[i] = i;
}

__global__ void consume(const int* p, int* out, int length) {
    wait();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) out[i] = 3 * p[i];
}

int main() {
    int *p = zeros<int>(300), *out = zeros<int>(300);
    cudaStream_t stream = stream_of_its_own();
    produce<<<16, 64, 0, stream>>>(p, 300);
    early(consume, 5, 64, stream, p, out, 300);
    return verdict(wrong(out, 300, [](int i) { return 3 * i; }));
}
