// g01: two blocks store different values to one cell.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void vote(int* cell) {
    if (threadIdx.x == 0)
        *cell = blockIdx.x + 1;  //~ race/grid
}

int main() {
    int* cell = zeros<int>(1);
    vote<<<2, 32>>>(cell);
    return verdict(wrong(cell, 1, [](int) { return 2; }));
}
