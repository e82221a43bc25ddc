// d15: blocks are not ordered, so the order of their tail launches is open, and both tails write the same cell.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void put(int* cell, int value) {
    *cell = value;  //~ race/tail
}

__global__ void parent(int* cells) {
    put<<<1, 1, 0, cudaStreamTailLaunch>>>(cells, blockIdx.x + 1);
}

int main() {
    int* cells = zeros<int>(2);
    parent<<<2, 1>>>(cells);
    return verdict(wrong(cells, 1, [](int) { return 2; }));
}
