// The twin of fail/cdp/d07-tails.cu: d08, the limit is raised to 4,096.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
//@pool size=4096 high-water=2100 lost=0
#include "../../case.h"

constexpr int LAUNCHES = 2100;

__global__ void leave(int* out) { *out = 1; }

__global__ void parent(int* out) {
    for (int i = 0; i < LAUNCHES; ++i)
        leave<<<1, 1, 0, cudaStreamTailLaunch>>>(out + i);
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
    int* out = zeros<int>(LAUNCHES);
    parent<<<1, 1>>>(out);
    return verdict(wrong(out, LAUNCHES, [](int) { return 1; }));
}
