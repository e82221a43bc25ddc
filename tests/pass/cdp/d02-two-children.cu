// The twin of fail/cdp/d02-two-children.cu: both children are in the block's NULL stream, which runs them in launch order.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void fill(int* p, int value) {
    p[threadIdx.x] = value + threadIdx.x;
}

__global__ void parent(int* p) {
    fill<<<1, 64>>>(p, 100);
    fill<<<1, 64>>>(p, 200);
}

int main() {
    int* p = zeros<int>(64);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 64, [](int i) { return 200 + i; }));
}
