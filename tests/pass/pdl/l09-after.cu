// The twin of fail/pdl/l09-after.cu: what is read was written before the kernel in front.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void produce(int* p) {
    trigger();
    p[threadIdx.x] = 3;
}

__global__ void consume(const int* __restrict__ p, int* __restrict__ out) {
    wait();
    out[threadIdx.x] = p[threadIdx.x];
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t stream = stream_of_its_own();
    produce<<<1, 64, 0, stream>>>(p);
    int* other = zeros<int>(64);
    produce<<<1, 64, 0, stream>>>(other);
    early(consume, 1, 64, stream, p, out);
    return verdict(wrong(out, 64, [](int) { return 3; }));
}
