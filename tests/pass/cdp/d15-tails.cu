// The twin of fail/cdp/d15-tails.cu: one thread launches both, in order.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void put(int* cell, int value) {
    *cell = value;
}

__global__ void parent(int* cells) {
    if (blockIdx.x != 0) return;
    for (int i = 0; i < 2; ++i) put<<<1, 1, 0, cudaStreamTailLaunch>>>(cells, i + 1);
}

int main() {
    int* cells = zeros<int>(2);
    parent<<<2, 1>>>(cells);
    return verdict(wrong(cells, 1, [](int) { return 2; }));
}
