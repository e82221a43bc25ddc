// l08: stores behind the fence and the trigger, and a reader that does not wait.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void produce(int* p, int* q) {
    p[threadIdx.x] = 3;
    __threadfence();
    trigger();
    q[threadIdx.x] = 4;  //~ race/pdl
}

__global__ void consume(const int* q, int* out) {
    out[threadIdx.x] = q[threadIdx.x];  //~ race/pdl pdl/no-wait
}

int main() {
    int *p = zeros<int>(64), *q = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t stream = stream_of_its_own();
    produce<<<1, 64, 0, stream>>>(p, q);
    early(consume, 1, 64, stream, q, out);
    return verdict(wrong(out, 64, [](int) { return 4; }));
}
