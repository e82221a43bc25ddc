// The twin of fail/cdp/d09-counted.cu: the limit is what the program needs.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
//@pool high-water=2100 lost=0
#include "../../case.h"

constexpr int LAUNCHES = 2100;

__global__ void leave(int* out) { *out = 1; }

__global__ void parent(int* out, int* failures) {
    for (int i = 0; i < LAUNCHES; ++i) {
        leave<<<1, 1, 0, cudaStreamTailLaunch>>>(out + i);
        if (cudaGetLastError() != cudaSuccess) ++*failures;
    }
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 2100));
    int *out = zeros<int>(LAUNCHES), *failures = zeros<int>(1);
    parent<<<1, 1>>>(out, failures);
    return verdict(wrong(out, LAUNCHES, [](int i) { return i < LAUNCHES; }) + wrong(failures, 1, [](int) { return 0; }));
}
