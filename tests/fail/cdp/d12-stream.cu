// d12: a child launches into a stream that its parent created.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void mark(int* p) { *p = 1; }

__global__ void child(cudaStream_t stream, int* p) {
    mark<<<1, 1, 0, stream>>>(p);  //~ stream/foreign
}

__global__ void parent(int* p) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    child<<<1, 1, 0, stream>>>(stream, p);
}

int main() {
    int* p = zeros<int>(1);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 1, [](int) { return 1; }));
}
