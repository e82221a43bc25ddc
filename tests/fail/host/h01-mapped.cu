// h01: a kernel writes mapped memory, and the CPU reads it without synchronising.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__global__ void number(int* p) { p[threadIdx.x] = threadIdx.x; }

int main() {
    int *host, *device;
    CHECK(cudaHostAlloc(&host, 64 * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&device, host, 0));
    for (int i = 0; i < 64; ++i) host[i] = 0;
    number<<<1, 64>>>(device);
    int sum = 0;
    for (int i = 0; i < 64; ++i)
        sum += host[i];  //~ race/host
    CHECK(cudaDeviceSynchronize());
    return verdict(sum != 64 * 63 / 2);
}
