// h07: an event is created with flags that do not exist, the error is never looked at, and recording it fails as well. A
// note: nothing else depends on it.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__global__ void set(int* p) { *p = 1; }

int main() {
    int* p = zeros<int>(1);
    cudaEvent_t event = nullptr;
    unsigned flags = 0x40000000;
    cudaEventCreateWithFlags(&event, flags);  //~ api/unchecked
    set<<<1, 1>>>(p);
    cudaEventRecord(event, 0);
    CHECK(cudaDeviceSynchronize());
    return verdict(wrong(p, 1, [](int) { return 1; }));
}
