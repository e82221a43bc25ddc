// q03: ping-pong between two buffers over four kernels, all of which wait first.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void step(const int* from, int* to) {
    wait();
    trigger();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[(i + 1) % 256] + 1;
}

int main() {
    int *a = zeros<int>(256), *b = zeros<int>(256);
    cudaStream_t stream = stream_of_its_own();
    step<<<4, 64, 0, stream>>>(a, b);
    early(step, 4, 64, stream, b, a);
    early(step, 4, 64, stream, a, b);
    early(step, 4, 64, stream, b, a);
    return verdict(wrong(a, 256, [](int) { return 4; }));
}
