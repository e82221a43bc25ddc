// d09: as d07, but the launching thread reads and counts each failure: the launches are dropped, not lost. A warning only, so
// the exit code is the program's own.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@pool lost=52 noticed=52
#include "../../case.h"

constexpr int LAUNCHES = 2100;

__global__ void leave(int* out) { *out = 1; }

__global__ void parent(int* out, int* failures) {
    for (int i = 0; i < LAUNCHES; ++i) {
        leave<<<1, 1, 0, cudaStreamTailLaunch>>>(out + i);
        if (cudaGetLastError() != cudaSuccess) ++*failures;
    }
    //~? launch/pool
}

int main() {
    int *out = zeros<int>(LAUNCHES), *failures = zeros<int>(1);
    parent<<<1, 1>>>(out, failures);
    return verdict(wrong(out, LAUNCHES, [](int i) { return i < 2048; }) + wrong(failures, 1, [](int) { return 52; }));
}
