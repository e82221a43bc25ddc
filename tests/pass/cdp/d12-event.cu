// The twin of fail/cdp/d12-event.cu: the child creates its own.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void mark(int* p) { *p += 1; }

__global__ void child(int* p) {
    cudaEvent_t done;
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    mark<<<1, 1, 0, first>>>(p);
    cudaEventRecord(done, first);
    mark<<<1, 1, 0, second>>>(p + 1);
}

__global__ void parent(int* p) {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(p);
}

int main() {
    int* p = zeros<int>(2);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 2, [](int) { return 1; }));
}
