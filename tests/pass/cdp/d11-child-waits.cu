// The twin of fail/cdp/d11-child-waits.cu: the launch comes after the flag.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void child(volatile int* flag, int* out) {
    while (*flag == 0) {}
    *out = 5;
}

__global__ void parent(volatile int* flag, const volatile int* never, int* out) {
    // Leaves by its own bound: time for the child to start, no wait for anything.
    for (int i = 0; i < 3000 && *never == 0; ++i) {}
    *flag = 1;
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(flag, out);
}

int main() {
    int *flag = zeros<int>(1), *never = zeros<int>(1), *out = zeros<int>(1);
    parent<<<1, 1>>>(flag, never, out);
    return verdict(wrong(out, 1, [](int) { return 5; }));
}
