// The twin of fail/host/h04-increment.cu: an event orders the two.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__global__ void fill(short* p) { p[threadIdx.x] = 3; }

__global__ void add(short* p) {
    p[threadIdx.x] += 4;
}

int main() {
    short* p;
    CHECK(cudaMalloc(&p, 64 * sizeof(short)));
    cudaStream_t a, b;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    fill<<<1, 64, 0, a>>>(p);
    cudaEvent_t filled;
    CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
    CHECK(cudaEventRecord(filled, a));
    CHECK(cudaStreamWaitEvent(b, filled));
    add<<<1, 64, 0, b>>>(p);
    return verdict(wrong(p, 64, [](int) { return 7; }));
}
