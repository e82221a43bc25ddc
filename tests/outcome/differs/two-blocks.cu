// Two blocks store different values to one word, by volatile stores, so that there is no race: the last one stays.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void last(volatile int* p) {
    if (threadIdx.x == 0) *p = blockIdx.x + 1;  //~ advice/outcome
}

int main() {
    int* p = zeros<int>(8);
    last<<<2, 32>>>(p + 3);
    CHECK(cudaDeviceSynchronize());
    return verdict(0);
}
