// l12: one launch of a chain lacks the attribute.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
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
    step<<<1, 64, 0, stream>>>(p);  //~? advice/no-overlap
    early(step, 1, 64, stream, p);
    return verdict(wrong(p, 64, [](int) { return 7; }));
}
