// The twin of fail/cdp/d20-burst.cu: a pool for the worst case.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
//@pool worst-case=4000 lost=0
#include "../../case.h"

constexpr int LAUNCHES = 4000;

__global__ void leave(int* out) { *out = 1; }

__global__ void parent(int* out) {
    for (int i = 0; i < LAUNCHES; ++i)
        leave<<<1, 1, 0, cudaStreamFireAndForget>>>(out + i);
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, LAUNCHES));
    int* out = zeros<int>(LAUNCHES);
    parent<<<1, 1>>>(out);
    return verdict(wrong(out, LAUNCHES, [](int) { return 1; }));
}
