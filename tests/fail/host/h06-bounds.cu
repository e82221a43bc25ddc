// h06: a loop that goes one element too far.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void increase(int* p, int n) {
    for (int i = threadIdx.x; i <= n; i += blockDim.x)
        p[i] += 1;  //~ memory/bounds
}

int main() {
    int* p = zeros<int>(1000);
    increase<<<1, 32>>>(p, 1000);
    return verdict(wrong(p, 1000, [](int) { return 1; }));
}
