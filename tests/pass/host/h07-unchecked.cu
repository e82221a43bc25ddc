// The twin of fail/host/h07-unchecked.cu: the flags are right.
//
// build: -arch=sm_90 -lineinfo -g
//@gpu
#include "../../case.h"

__global__ void set(int* p) { *p = 1; }

int main() {
    int* p = zeros<int>(1);
    cudaEvent_t event = nullptr;
    unsigned flags = cudaEventDisableTiming;
    cudaEventCreateWithFlags(&event, flags);
    set<<<1, 1>>>(p);
    cudaEventRecord(event, 0);
    CHECK(cudaDeviceSynchronize());
    return verdict(wrong(p, 1, [](int) { return 1; }));
}
