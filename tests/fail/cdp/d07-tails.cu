// d07: the pool has 2,048 slots: of 2,100 queued tails the last 52 are dropped, and nobody reads the error.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@pool lost=52 noticed=0 high-water=2048
#include "../../case.h"

constexpr int LAUNCHES = 2100;

__global__ void leave(int* out) { *out = 1; }

__global__ void parent(int* out) {
    for (int i = 0; i < LAUNCHES; ++i)
        leave<<<1, 1, 0, cudaStreamTailLaunch>>>(out + i);  //~ launch/lost-error
    //~? launch/pool
}

int main() {
    int* out = zeros<int>(LAUNCHES);
    parent<<<1, 1>>>(out);
    return verdict(wrong(out, LAUNCHES, [](int) { return 1; }));
}
