// The twin of fail/grid/g03-named.cu: both warps take them in the same order.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

template <int NUMBER>
__device__ void meet() {
    asm volatile("bar.sync %0, 64;" ::"n"(NUMBER) : "memory");
}

__global__ void cross(unsigned char* out) {
    if (threadIdx.x < 32) {
        meet<1>();
        meet<2>();
    } else {
        meet<1>();
        meet<2>();
    }
    out[threadIdx.x] = 1;
}

int main() {
    unsigned char* out = zeros<unsigned char>(64);
    cross<<<1, 64>>>(out);
    return verdict(wrong(out, 64, [](int) { return 1; }));
}
