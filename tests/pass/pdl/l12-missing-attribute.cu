// The twin of fail/pdl/l12-missing-attribute.cu: all but the first have it.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
//@gpu
#include "../../pdl.h"

__global__ void step(int* p) {
    trigger();
    wait();
    p[threadIdx.x] = 2 * p[threadIdx.x] + 1;
}

int main() {
    int* p = zeros<int>(64);
    cudaStream_t stream = stream_of_its_own();
    step<<<1, 64, 0, stream>>>(p);
    early(step, 1, 64, stream, p);
    early(step, 1, 64, stream, p);
    return verdict(wrong(p, 64, [](int) { return 7; }));
}
