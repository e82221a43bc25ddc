// d13: an event is recorded on the tail stream: the call answers an error that nobody reads.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void set(int* p, int value) { *p = value; }

__global__ void parent(int* p) {
    cudaStream_t stream;
    cudaEvent_t done;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    set<<<1, 1, 0, stream>>>(p, 1);
    cudaEventRecord(done, cudaStreamTailLaunch);  //~ stream/special
    set<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 2);
}

int main() {
    int* p = zeros<int>(1);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 1, [](int) { return 2; }));
}
