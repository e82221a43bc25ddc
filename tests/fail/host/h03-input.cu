// h03: the CPU overwrites the mapped input of a kernel that was launched and may not have read it.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__global__ void twice(const int* p, int* out) { out[threadIdx.x] = 2 * p[threadIdx.x]; }

int main() {
    int *host, *device;
    CHECK(cudaHostAlloc(&host, 64 * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&device, host, 0));
    for (int i = 0; i < 64; ++i) host[i] = i;
    int* out = zeros<int>(64);
    twice<<<1, 64>>>(device, out);
    for (int i = 0; i < 64; ++i)
        host[i] = 1000;  //~ race/host
    return verdict(wrong(out, 64, [](int i) { return 2 * i; }));
}
