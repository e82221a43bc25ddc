// q02: the trigger of one thread of one warp, in a loop, of a block that goes on to work; three kernels.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void step(const float* from, float* to) {
    wait();
    for (int round = 0; round < 4; ++round) {
        if (threadIdx.x == 37) trigger();
        to[threadIdx.x] = from[95 - threadIdx.x] + round;
    }
}

int main() {
    float *a = zeros<float>(96), *b = zeros<float>(96);
    cudaStream_t stream = stream_of_its_own();
    step<<<1, 96, 0, stream>>>(a, b);
    early(step, 1, 96, stream, b, a);
    early(step, 1, 96, stream, a, b);
    return verdict(wrong(b, 96, [](int) { return 9; }));
}
