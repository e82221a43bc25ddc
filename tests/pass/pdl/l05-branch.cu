// The twin of fail/pdl/l05-branch.cu: the wait stands before the branch.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void produce(int* p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    trigger();
    p[i] = i;
}

__global__ void consume(const int* p, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    wait();
    if (blockIdx.x % 2 == 0) {
        out[i] = p[i];
    } else {
        out[i] = -p[i];
    }
}

int main() {
    int *p = zeros<int>(256), *out = zeros<int>(256);
    cudaStream_t stream = stream_of_its_own();
    produce<<<4, 64, 0, stream>>>(p);
    early(consume, 4, 64, stream, p, out);
    return verdict(wrong(out, 256, [](int i) { return i / 64 % 2 ? -i : i; }));
}
