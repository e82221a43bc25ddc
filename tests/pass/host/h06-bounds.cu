// The twin of fail/host/h06-bounds.cu: the loop ends with the array.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void increase(int* p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        p[i] += 1;
}

int main() {
    int* p = zeros<int>(1000);
    increase<<<1, 32>>>(p, 1000);
    return verdict(wrong(p, 1000, [](int) { return 1; }));
}
