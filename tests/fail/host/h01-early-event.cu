// h01: the CPU waits, but for an event that was recorded before the kernel; it reads single bytes. Without -g the CPU's place
// is a symbol and an offset.
//
// build: -arch=sm_90
#include "../../case.h"

__global__ void letters(unsigned char* p) { p[threadIdx.x] = 'a' + threadIdx.x; }

int main() {
    unsigned char *host, *device;
    CHECK(cudaHostAlloc(&host, 26, cudaHostAllocMapped | cudaHostAllocPortable));
    CHECK(cudaHostGetDevicePointer(&device, host, 0));
    for (int i = 0; i < 26; ++i) host[i] = '-';
    cudaStream_t stream;
    cudaEvent_t event;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaEventRecord(event, stream));
    letters<<<1, 26, 0, stream>>>(device);
    CHECK(cudaEventSynchronize(event));
    int bad = host[3] != 'd';  //~ race/host
    CHECK(cudaDeviceSynchronize());
    return verdict(bad);
}
