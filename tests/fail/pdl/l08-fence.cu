// l08: a fence and the trigger behind the stores, and a reader that does not wait: it relies on the fence.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void produce(int* p) {
    p[blockIdx.x * blockDim.x + threadIdx.x] = 3;
    __threadfence();
    trigger();
}

__global__ void consume(const int* p, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = p[i];  //~ pdl/no-wait
}

int main() {
    int *p = zeros<int>(128), *out = zeros<int>(128);
    cudaStream_t stream = stream_of_its_own();
    produce<<<2, 64, 0, stream>>>(p);
    early(consume, 2, 64, stream, p, out);
    return verdict(wrong(out, 128, [](int) { return 3; }));
}
