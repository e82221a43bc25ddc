// d11: a parent polls a flag that its child sets. The child is sure to start only when the parent's threads are done.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void child(int* value, volatile int* flag) {
    *value = 41;
    __threadfence();
    *flag = 1;
}

__global__ void parent(int* value, volatile int* flag) {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(value, flag);
    while (*flag == 0) {}  //~ progress/spin
    __threadfence();
    ++*value;
}

int main() {
    int *value = zeros<int>(1), *flag = zeros<int>(1);
    parent<<<1, 1>>>(value, flag);
    return verdict(wrong(value, 1, [](int) { return 42; }));
}
