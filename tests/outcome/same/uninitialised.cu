// Shared memory that nobody wrote holds what another block left there: that is the finding.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void leave(int* out) {
    __shared__ int tile[64];
    int before = tile[threadIdx.x];  //~ memory/uninitialised
    __syncthreads();
    tile[threadIdx.x] = blockIdx.x;
    out[blockIdx.x * 64 + threadIdx.x] = before;
}

int main() {
    int* out = zeros<int>(8 * 64);
    leave<<<8, 64>>>(out);
    CHECK(cudaDeviceSynchronize());
    return verdict(0);
}
