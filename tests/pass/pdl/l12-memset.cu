// The twin of fail/pdl/l12-memset.cu: the memset comes first.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
//@gpu
#include "../../pdl.h"

__global__ void produce(int* p) {
    trigger();
    p[threadIdx.x] = 3;
}

__global__ void consume(const int* p, int* out) {
    wait();
    out[threadIdx.x] += p[threadIdx.x];
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t stream = stream_of_its_own();
    CHECK(cudaMemsetAsync(out, 0, 64 * sizeof(int), stream));
    produce<<<1, 64, 0, stream>>>(p);
    early(consume, 1, 64, stream, p, out);
    return verdict(wrong(out, 64, [](int) { return 3; }));
}
