// The twin of fail/host/h03-input.cu: k01, the CPU waits for the device.
//
// build: -arch=sm_90 -lineinfo -g
//@gpu
#include "../../case.h"

__global__ void twice(const int* p, int* out) { out[threadIdx.x] = 2 * p[threadIdx.x]; }

int main() {
    int *host, *device;
    CHECK(cudaHostAlloc(&host, 64 * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&device, host, 0));
    for (int i = 0; i < 64; ++i) host[i] = i;
    int* out = zeros<int>(64);
    twice<<<1, 64>>>(device, out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; ++i)
        host[i] = 1000;
    return verdict(wrong(out, 64, [](int i) { return 2 * i; }));
}
