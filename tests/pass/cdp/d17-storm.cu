// The twin of fail/cdp/d17-storm.cu: the threads do the work.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

constexpr int PARTS = 10000;

__global__ void parent(int* p, int* failures) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= PARTS) return;
    for (int k = 0; k < 8; ++k) p[8 * i + k] += 1;
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 16384));
    int *p = zeros<int>(8 * PARTS), *failures = zeros<int>(1);
    parent<<<(PARTS + 255) / 256, 256>>>(p, failures);
    return verdict(wrong(p, 8 * PARTS, [](int) { return 1; }) + wrong(failures, 1, [](int) { return 0; }));
}
