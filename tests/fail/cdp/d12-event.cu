// d12: a child records an event that its parent created.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void mark(int* p) { *p += 1; }

__global__ void child(cudaEvent_t done, int* p) {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    mark<<<1, 1, 0, first>>>(p);
    cudaEventRecord(done, first);  //~ stream/foreign
    mark<<<1, 1, 0, second>>>(p + 1);
}

__global__ void parent(int* p) {
    cudaEvent_t done;
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(done, p);
}

int main() {
    int* p = zeros<int>(2);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 2, [](int) { return 1; }));
}
