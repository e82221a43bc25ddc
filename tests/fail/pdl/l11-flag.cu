// l11: a kernel that waits for a flag of the one behind it, which need not start early.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void first(volatile int* flag, int* out) {
    trigger();
    while (*flag == 0) {}  //~ progress/spin
    __threadfence();
    if (threadIdx.x == 0) *out = 1;
}

__global__ void second(volatile int* flag, int* out) {
    wait();
    *flag = 1;
    atomicAdd(out, 1);
}

int main() {
    int *flag = zeros<int>(1), *out = zeros<int>(1);
    cudaStream_t stream = stream_of_its_own();
    first<<<1, 1, 0, stream>>>(flag, out);
    early(second, 1, 1, stream, flag, out);
    return verdict(wrong(out, 1, [](int) { return 2; }));
}
