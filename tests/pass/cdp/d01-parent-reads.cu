// The twin of fail/cdp/d01-parent-reads.cu: the reader is a tail launch.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void produce(int* p) { p[threadIdx.x] = 2 * threadIdx.x + 1; }

__global__ void consume(const int* p, int* out) { out[threadIdx.x] = p[threadIdx.x]; }

__global__ void parent(int* p, int* out) {
    if (threadIdx.x != 0) return;
    produce<<<1, 32, 0, cudaStreamFireAndForget>>>(p);
    consume<<<1, 32, 0, cudaStreamTailLaunch>>>(p, out);
}

int main() {
    int *p = zeros<int>(32), *out = zeros<int>(32);
    parent<<<1, 32>>>(p, out);
    return verdict(wrong(out, 32, [](int i) { return 2 * i + 1; }));
}
