// The twin of fail/cdp/d10-shared.cu: the shared memory that the child uses.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void child(double* p) {
    extern __shared__ double tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void parent(double* p) {
    child<<<1, 64, 64 * sizeof(double), cudaStreamTailLaunch>>>(p);

}

int main() {
    double* p = zeros<double>(64);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 64, [](int i) { return 63 - i; }));
}
