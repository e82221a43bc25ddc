// d18: 256 threads launch on their block's NULL stream: one chain of 256 grids that have nothing to do with each other.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void child(float* p) { p[threadIdx.x] = 1; }

__global__ void parent(float* p) {
    child<<<1, 32>>>(p + 32 * threadIdx.x);  //~ advice/null-stream
}

int main() {
    float* p = zeros<float>(32 * 256);
    parent<<<1, 256>>>(p);
    return verdict(wrong(p, 32 * 256, [](int) { return 1; }));
}
