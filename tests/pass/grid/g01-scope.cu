// The twin of fail/grid/g01-scope.cu: the scope is the device.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void count(unsigned* counter) {
    atomicAdd(counter, 1u);
}

int main() {
    unsigned* counter = zeros<unsigned>(1);
    count<<<2, 32>>>(counter);
    return verdict(wrong(counter, 1, [](int) { return 64; }));
}
