// The twin of fail/host/h06-bounds-before.cu: the first one has no neighbour.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

struct Cell {
    double mass;
    float speed[2];
};

__global__ void difference(const Cell* cells, int n, double* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n)
        out[i] = cells[i].mass - cells[i - 1].mass;
}

int main() {
    Cell* cells = zeros<Cell>(77);
    double* out = zeros<double>(77);
    difference<<<3, 32>>>(cells, 77, out);
    return verdict(wrong(out, 77, [](int) { return 0; }));
}
