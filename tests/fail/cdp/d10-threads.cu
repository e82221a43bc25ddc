// d10: a child with 2,048 threads a block, and nobody reads the error.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void child(int* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

__global__ void parent(int* p) {
    child<<<1, 2048, 0, cudaStreamFireAndForget>>>(p);  //~ launch/config
    //~^ launch/lost-error
}

int main() {
    int* p = zeros<int>(2048);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 2048, [](int) { return 1; }));
}
