// l09: input through the read-only path, before the wait.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void produce(int* p) {
    trigger();
    p[threadIdx.x] = 3;
}

__global__ void consume(const int* __restrict__ p, int* __restrict__ out) {
    int own = p[threadIdx.x];  //~ race/pdl
    wait();
    out[threadIdx.x] = own;
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t stream = stream_of_its_own();
    produce<<<1, 64, 0, stream>>>(p);
    early(consume, 1, 64, stream, p, out);
    return verdict(wrong(out, 64, [](int) { return 3; }));
}
