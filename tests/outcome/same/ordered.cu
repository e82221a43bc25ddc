// The twin of the two streams: an event orders them.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void store(volatile int* p, int value) { *p = value; }

int main() {
    int* p = zeros<int>(4);
    cudaStream_t a, b;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    cudaEvent_t first;
    CHECK(cudaEventCreateWithFlags(&first, cudaEventDisableTiming));
    store<<<1, 1, 0, a>>>(p, 1);
    CHECK(cudaEventRecord(first, a));
    CHECK(cudaStreamWaitEvent(b, first));
    store<<<1, 1, 0, b>>>(p, 2);
    // What is on its way is not compared.
    store<<<1, 1, 0, a>>>(p + 1, 1);
    CHECK(cudaStreamSynchronize(b));
    return verdict(wrong(p, 2, [](int i) { return i ? 1 : 2; }));
}
