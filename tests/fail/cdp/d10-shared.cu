// d10: more dynamic shared memory than a block may have, on the tail stream.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void child(double* p) {
    extern __shared__ double tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void parent(double* p) {
    child<<<1, 64, 300 * 1024, cudaStreamTailLaunch>>>(p);  //~ launch/config
    //~^ launch/lost-error
}

int main() {
    double* p = zeros<double>(64);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 64, [](int i) { return 63 - i; }));
}
