// The twin of fail/cdp/d13-record.cu: the event is recorded on the named stream.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void set(int* p, int value) { *p = value; }

__global__ void parent(int* p) {
    cudaStream_t stream;
    cudaEvent_t done;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    set<<<1, 1, 0, stream>>>(p, 1);
    cudaEventRecord(done, stream);
    set<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 2);
}

int main() {
    int* p = zeros<int>(1);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 1, [](int) { return 2; }));
}
