// The twin of fail/cdp/d09-fallback.cu: a pool that is large enough.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
//@pool lost=0
#include "../../case.h"

__device__ void work(double* cells) {
    for (int i = 0; i < 4; ++i) cells[i] = i + 0.5;
}

__global__ void child(double* cells) { work(cells); }

__global__ void parent(double* cells) {
    double* mine = cells + 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    child<<<1, 1, 0, cudaStreamTailLaunch>>>(mine);
    if (cudaGetLastError() == cudaErrorLaunchPendingCountExceeded) work(mine);
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 40));
    double* cells = zeros<double>(4 * 40);
    parent<<<2, 20>>>(cells);
    return verdict(wrong(cells, 4 * 40, [](int i) { return i % 4 + 0.5; }));
}
