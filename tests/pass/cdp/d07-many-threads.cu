// The twin of fail/cdp/d07-many-threads.cu: a pool of 96.
//
// build: -arch=sm_90 -rdc=true -lcudadevrt
//@gpu
//@pool high-water=96 lost=0
#include "../../case.h"

__global__ void leave(unsigned char* out) { *out += 1; }

__global__ void parent(unsigned char* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    leave<<<1, 1, 0, cudaStreamTailLaunch>>>(out + i);
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 96));
    unsigned char* out = zeros<unsigned char>(96);
    parent<<<3, 32>>>(out);
    return verdict(wrong(out, 96, [](int) { return 1; }));
}
