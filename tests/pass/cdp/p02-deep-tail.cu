// p02: a tail that launches itself 10,000 times.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void step(int* p, int left) {
    p[threadIdx.x] += 1;
    if (threadIdx.x == 0 && left > 1) step<<<1, 2, 0, cudaStreamTailLaunch>>>(p, left - 1);
}

int main() {
    int* p = zeros<int>(2);
    step<<<1, 2>>>(p, 10000);
    return verdict(wrong(p, 2, [](int) { return 10000; }));
}
