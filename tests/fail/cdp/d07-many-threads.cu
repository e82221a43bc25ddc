// d07: a pool of 64, and 96 threads of three blocks that tail-launch once each: some thread loses its launch, which one
// depends on the schedule.
//
// build: -arch=sm_90 -rdc=true -lcudadevrt
//@pool lost=32 noticed=0
#include "../../case.h"

__global__ void leave(unsigned char* out) { *out += 1; }

__global__ void parent(unsigned char* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    leave<<<1, 1, 0, cudaStreamTailLaunch>>>(out + i);  //~ launch/lost-error
    //~? launch/pool
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 64));
    unsigned char* out = zeros<unsigned char>(96);
    parent<<<3, 32>>>(out);
    return verdict(wrong(out, 96, [](int) { return 1; }));
}
