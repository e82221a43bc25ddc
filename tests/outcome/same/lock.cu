// A lock: the order in which blocks get it is that of the atomics.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void under_lock(int* lock, int* value) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *value = *value * 3 + blockIdx.x;
    __threadfence();
    atomicExch(lock, 0);
}

int main() {
    int *lock = zeros<int>(1), *value = zeros<int>(1);
    under_lock<<<6, 1>>>(lock, value);
    return verdict(wrong(lock, 1, [](int) { return 0; }));
}
