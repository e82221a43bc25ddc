// d11: a child polls a flag that its parent sets after the launch. Where the child starts late it never has to wait.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@policy latest: any
//@policy random: any
#include "../../case.h"

__global__ void child(volatile int* flag, int* out) {
    while (*flag == 0) {}  //~ progress/spin
    *out = 5;
}

__global__ void parent(volatile int* flag, const volatile int* never, int* out) {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(flag, out);
    // Leaves by its own bound: time for the child to start, no wait for anything.
    for (int i = 0; i < 3000 && *never == 0; ++i) {}
    *flag = 1;
}

int main() {
    int *flag = zeros<int>(1), *never = zeros<int>(1), *out = zeros<int>(1);
    parent<<<1, 1>>>(flag, never, out);
    return verdict(wrong(out, 1, [](int) { return 5; }));
}
