// The twin of fail/grid/g03-never-arrives.cu: the missing threads have exited, and count as arrived.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void parent(int* out) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
    } else {
        return;
    }
    __syncthreads();
    if (threadIdx.x == 0) flag = 1;
}

int main() {
    int* out = zeros<int>(32);
    parent<<<1, 64>>>(out);
    return verdict(wrong(out, 32, [](int) { return 1; }));
}
