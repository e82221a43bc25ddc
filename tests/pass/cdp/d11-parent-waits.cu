// The twin of fail/cdp/d11-parent-waits.cu: what follows the wait is a tail launch.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void child(int* value, volatile int* flag) {
    *value = 41;
    __threadfence();
    *flag = 1;
}

__global__ void after(int* value) { ++*value; }

__global__ void parent(int* value, volatile int* flag) {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(value, flag);
    after<<<1, 1, 0, cudaStreamTailLaunch>>>(value);
}

int main() {
    int *value = zeros<int>(1), *flag = zeros<int>(1);
    parent<<<1, 1>>>(value, flag);
    return verdict(wrong(value, 1, [](int) { return 42; }));
}
