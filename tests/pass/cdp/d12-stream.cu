// The twin of fail/cdp/d12-stream.cu: the child creates its own.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void mark(int* p) { *p = 1; }

__global__ void child(int* p) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    mark<<<1, 1, 0, stream>>>(p);
}

__global__ void parent(int* p) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    child<<<1, 1, 0, stream>>>(p);
}

int main() {
    int* p = zeros<int>(1);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 1, [](int) { return 1; }));
}
