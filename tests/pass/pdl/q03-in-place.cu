// q03: six kernels in place, triggers first, of different shapes, in the legacy default stream.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void step(double* p, int length) {
    trigger();
    wait();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x) p[i] = p[i] * 2 + 1;
}

int main() {
    double* p = zeros<double>(200);
    step<<<3, 64>>>(p, 200);
    for (int round = 0; round < 5; ++round) early(step, 1 + round, 32 + 16 * round, 0, p, 200);
    return verdict(wrong(p, 200, [](int) { return 63; }));
}
