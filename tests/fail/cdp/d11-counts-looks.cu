// d11: a parent waits for its child's flag and counts how often it looked, with a pause that grows. Nothing hangs on the count.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void child(volatile int* flag) { *flag = 1; }

__global__ void parent(volatile int* flag, unsigned long long* looks) {
    child<<<1, 1>>>(flag);
    unsigned long long count = 0;
    while (*flag == 0) {  //~ progress/spin
        ++count;
        __nanosleep(count < 100 ? 20 : 200);
    }
    *looks = count;
}

int main() {
    int* flag = zeros<int>(1);
    auto* looks = zeros<unsigned long long>(1);
    parent<<<1, 1>>>(flag, looks);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
