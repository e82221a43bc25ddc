// The twin of fail/pdl/l11-flag-before.cu: the flag is raised by a kernel in front of the one that waits.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void first(volatile int* flag, int* out) {
    trigger();
    while (*flag == 0) {}
    __threadfence();
    if (threadIdx.x == 0) *out = 1;
}

__global__ void second(volatile int* flag, int* out) {
    wait();
    atomicAdd(out, 1);
}

__global__ void raise(volatile int* flag) { *flag = 1; }

int main() {
    int *flag = zeros<int>(1), *out = zeros<int>(1);
    cudaStream_t stream = stream_of_its_own();
    raise<<<1, 1, 0, stream>>>(flag);
    first<<<1, 1, 0, stream>>>(flag, out);
    early(second, 1, 1, stream, flag, out);
    return verdict(wrong(out, 1, [](int) { return 2; }));
}
