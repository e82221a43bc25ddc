// The twin of fail/cdp/d11-counts-looks.cu: the host sets the flag that the kernel waits for, and the child sets one that its tail
// looks at.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void child(int* done) { *done = 1; }

__global__ void behind(const int* done, unsigned long long* looks) {
    if (*done == 1) *looks |= 1ull << 63;
}

__global__ void parent(volatile int* flag, int* done, unsigned long long* looks) {
    unsigned long long count = 0;
    while (*flag == 0) {
        ++count;
        __nanosleep(count < 100 ? 20 : 200);
    }
    *looks = count;
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(done);
    behind<<<1, 1, 0, cudaStreamTailLaunch>>>(done, looks);
}

int main() {
    int* flag;
    CHECK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
    *flag = 0;
    int* done = zeros<int>(1);
    auto* looks = zeros<unsigned long long>(1);
    parent<<<1, 1>>>(flag, done, looks);
    *static_cast<volatile int*>(flag) = 1;
    CHECK(cudaDeviceSynchronize());
    return verdict(wrong(looks, 1, [](int) { return 0ull; }) == 0);
}
