// d17: a two-dimensional grid whose threads each launch a child for a row of sixteen bytes on the NULL stream of their block,
// 2,048 in all.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void invert(unsigned char* row) { row[threadIdx.x] = 255 - row[threadIdx.x]; }

__global__ void image(unsigned char* pixels, int* failures) {
    int y = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    invert<<<1, 16>>>(pixels + 16 * y);  //~ advice/storm
    if (cudaGetLastError() != cudaSuccess) atomicAdd(failures, 1);
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
    unsigned char* pixels = zeros<unsigned char>(16 * 2048);
    int* failures = zeros<int>(1);
    image<<<dim3(32, 32), 2>>>(pixels, failures);
    return verdict(wrong(pixels, 16 * 2048, [](int) { return 255; }) + wrong(failures, 1, [](int) { return 0; }));
}
