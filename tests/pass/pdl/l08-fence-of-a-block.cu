// The twin of fail/pdl/l08-fence-of-a-block.cu: the reader waits.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void produce(int* p) {
    p[threadIdx.x] = 3;
    __threadfence_block();
    trigger();
}

__global__ void consume(const int* p, int* out) {
    wait();
    out[threadIdx.x] = p[threadIdx.x];
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t stream = stream_of_its_own();
    produce<<<1, 64, 0, stream>>>(p);
    early(consume, 1, 64, stream, p, out);
    return verdict(wrong(out, 64, [](int) { return 3; }));
}
