// The twin of fail/pdl/l01-never-waits.cu: it waits.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void produce(int* p) {
    trigger();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = i + 1;
}

__global__ void consume(const int* p, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    wait();
    out[i] = 10 * p[i];
}

int main() {
    int *p = zeros<int>(256), *out = zeros<int>(256);
    cudaStream_t stream = stream_of_its_own();
    produce<<<4, 64, 0, stream>>>(p);
    early(consume, 4, 64, stream, p, out);
    return verdict(wrong(out, 256, [](int i) { return 10 * (i + 1); }));
}
