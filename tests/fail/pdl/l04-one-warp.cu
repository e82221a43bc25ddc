// l04: only warp 0 waits, and the others go on without a barrier.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void produce(int* p) {
    trigger();
    p[threadIdx.x] = threadIdx.x + 1;
}

__global__ void consume(const int* p, int* out) {
    if (threadIdx.x < 32) wait();
    out[threadIdx.x] = p[threadIdx.x];  //~ race/pdl pdl/partial-wait
}

int main() {
    int *p = zeros<int>(128), *out = zeros<int>(128);
    cudaStream_t stream = stream_of_its_own();
    produce<<<1, 128, 0, stream>>>(p);
    early(consume, 1, 128, stream, p, out);
    return verdict(wrong(out, 128, [](int i) { return i + 1; }));
}
