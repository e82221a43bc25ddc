// The twin of fail/host/h01-early-event.cu: k01, the event is recorded behind the kernel.
//
// build: -arch=sm_90
//@gpu
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
    letters<<<1, 26, 0, stream>>>(device);
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaEventSynchronize(event));
    int bad = host[3] != 'd';
    CHECK(cudaDeviceSynchronize());
    return verdict(bad);
}
