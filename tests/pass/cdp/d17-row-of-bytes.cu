// The twin of fail/cdp/d17-row-of-bytes.cu: the threads do the work.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void image(unsigned char* pixels, int* failures) {
    int y = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    for (int i = 0; i < 16; ++i) pixels[16 * y + i] = 255 - pixels[16 * y + i];
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
    unsigned char* pixels = zeros<unsigned char>(16 * 2048);
    int* failures = zeros<int>(1);
    image<<<dim3(32, 32), 2>>>(pixels, failures);
    return verdict(wrong(pixels, 16 * 2048, [](int) { return 255; }) + wrong(failures, 1, [](int) { return 0; }));
}
