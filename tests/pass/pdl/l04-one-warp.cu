// The twin of fail/pdl/l04-one-warp.cu: a barrier stands behind the wait (q05).
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void produce(int* p) {
    trigger();
    p[threadIdx.x] = threadIdx.x + 1;
}

__global__ void consume(const int* p, int* out) {
    if (threadIdx.x < 32) wait();
    __syncthreads();
    out[threadIdx.x] = p[threadIdx.x];
}

int main() {
    int *p = zeros<int>(128), *out = zeros<int>(128);
    cudaStream_t stream = stream_of_its_own();
    produce<<<1, 128, 0, stream>>>(p);
    early(consume, 1, 128, stream, p, out);
    return verdict(wrong(out, 128, [](int i) { return i + 1; }));
}
