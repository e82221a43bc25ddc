// The twin of fail/cdp/d11-siblings.cu: the two are blocks of one grid that fits the device.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void meet(volatile int* flags, int* out) {
    flags[blockIdx.x] = 1;
    while (flags[1 - blockIdx.x] == 0) {}
    out[blockIdx.x] = 1;
}

__global__ void parent(int* flags, int* out) {
    meet<<<2, 1, 0, cudaStreamFireAndForget>>>(flags, out);
}

int main() {
    int *flags = zeros<int>(2), *out = zeros<int>(2);
    parent<<<1, 1>>>(flags, out);
    return verdict(wrong(out, 2, [](int) { return 1; }));
}
