// p05: 3,000 launches of the host in six streams, more than there are slots, of kernels that each tail-launch once.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
//@pool lost=0
#include "../../case.h"

__global__ void second(unsigned short* p) { *p += 2; }
__global__ void first(unsigned short* p) {
    *p += 1;
    second<<<1, 1, 0, cudaStreamTailLaunch>>>(p);
}

int main() {
    unsigned short* p = zeros<unsigned short>(6);
    cudaStream_t stream[6];
    for (auto& each : stream) CHECK(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking));
    for (int i = 0; i < 3000; ++i) first<<<1, 1, 0, stream[i % 6]>>>(p + i % 6);
    CHECK(cudaGetLastError());
    return verdict(wrong(p, 6, [](int) { return 1500; }));
}
