// d09: a thread that could not launch does the work itself. Nothing is lost; that the pool was too small is still worth a
// warning.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@pool lost=8 noticed=8
#include "../../case.h"

__device__ void work(double* cells) {
    for (int i = 0; i < 4; ++i) cells[i] = i + 0.5;
}

__global__ void child(double* cells) { work(cells); }

__global__ void parent(double* cells) {
    double* mine = cells + 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    child<<<1, 1, 0, cudaStreamTailLaunch>>>(mine);
    if (cudaGetLastError() == cudaErrorLaunchPendingCountExceeded) work(mine);
    //~? launch/pool
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 20));  // never fewer than 32 are granted
    double* cells = zeros<double>(4 * 40);
    parent<<<2, 20>>>(cells);
    return verdict(wrong(cells, 4 * 40, [](int i) { return i % 4 + 0.5; }));
}
