// d02: two fire-and-forget children write the same array.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void fill(int* p, int value) {
    p[threadIdx.x] = value + threadIdx.x;  //~ race/sibling
}

__global__ void parent(int* p) {
    fill<<<1, 64, 0, cudaStreamFireAndForget>>>(p, 100);
    fill<<<1, 64, 0, cudaStreamFireAndForget>>>(p, 200);
}

int main() {
    int* p = zeros<int>(64);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 64, [](int i) { return 200 + i; }));
}
