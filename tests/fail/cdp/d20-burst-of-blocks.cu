// d20: a pool of 32 and 16 blocks whose threads launch four children each on the NULL stream.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@policy eager: any
//@policy random: any
//@pool worst-case=256
#include "../../case.h"

__global__ void count(unsigned* cell) { atomicAdd(cell, 1); }

__global__ void parent(unsigned* cells) {
    for (int k = 0; k < 4; ++k)
        count<<<1, 2>>>(cells + blockIdx.x);  //~ launch/lost-error
    //~? launch/pool
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 32));
    unsigned* cells = zeros<unsigned>(16);
    parent<<<16, 4>>>(cells);
    return verdict(wrong(cells, 16, [](int) { return 32; }));
}
