// l08: the fence reaches the own block only.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void produce(int* p) {
    p[threadIdx.x] = 3;
    __threadfence_block();
    trigger();
}

__global__ void consume(const int* p, int* out) {
    out[threadIdx.x] = p[threadIdx.x];  //~ race/pdl pdl/no-wait
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t stream = stream_of_its_own();
    produce<<<1, 64, 0, stream>>>(p);
    early(consume, 1, 64, stream, p, out);
    return verdict(wrong(out, 64, [](int) { return 3; }));
}
