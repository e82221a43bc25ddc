// d17: one child per thread for eight elements of work, 10,000 of them: right, and far dearer than the work.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

constexpr int PARTS = 10000;

__global__ void child(int* p) {
    for (int i = 0; i < 8; ++i) p[i] += 1;
}

__global__ void parent(int* p, int* failures) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= PARTS) return;
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(p + 8 * i);  //~ advice/storm
    if (cudaGetLastError() != cudaSuccess) atomicAdd(failures, 1);
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 16384));
    int *p = zeros<int>(8 * PARTS), *failures = zeros<int>(1);
    parent<<<(PARTS + 255) / 256, 256>>>(p, failures);
    return verdict(wrong(p, 8 * PARTS, [](int) { return 1; }) + wrong(failures, 1, [](int) { return 0; }));
}
