// h06: a stencil reads one struct before the first.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

struct Cell {
    double mass;
    float speed[2];
};

__global__ void difference(const Cell* cells, int n, double* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = cells[i].mass - cells[i - 1].mass;  //~ memory/bounds
}

int main() {
    Cell* cells = zeros<Cell>(77);
    double* out = zeros<double>(77);
    difference<<<3, 32>>>(cells, 77, out);
    return verdict(wrong(out, 77, [](int) { return 0; }));
}
