// d11: two fire-and-forget children poll each other: nobody promises that both run at once.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void meet(volatile int* mine, volatile int* other, int* out) {
    *mine = 1;
    while (*other == 0) {}  //~ progress/spin
    *out = 1;
}

__global__ void parent(int* flags, int* out) {
    meet<<<1, 1, 0, cudaStreamFireAndForget>>>(flags, flags + 1, out);
    meet<<<1, 1, 0, cudaStreamFireAndForget>>>(flags + 1, flags, out + 1);
}

int main() {
    int *flags = zeros<int>(2), *out = zeros<int>(2);
    parent<<<1, 1>>>(flags, out);
    return verdict(wrong(out, 2, [](int) { return 1; }));
}
