// The twin of fail/cdp/d04-warp.cu: __syncwarp() before the launch.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void reverse(const int* p, int* out) {
    out[31 - threadIdx.x] = p[threadIdx.x];
}

__global__ void parent(int* p, int* out) {
    p[threadIdx.x] = 3 * threadIdx.x;
    __syncwarp();
    if (threadIdx.x == 0) reverse<<<1, 32, 0, cudaStreamFireAndForget>>>(p, out);
}

int main() {
    int *p = zeros<int>(32), *out = zeros<int>(32);
    parent<<<1, 32>>>(p, out);
    return verdict(wrong(out, 32, [](int i) { return 3 * (31 - i); }));
}
