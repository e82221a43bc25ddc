// The twin of fail/cdp/d03-no-barrier.cu: a barrier before the launch.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void sum(const int* p, int n, int* out) {
    int total = 0;
    for (int i = 0; i < n; ++i)
        total += p[i];
    *out = total;
}

__global__ void parent(int* p, int* out) {
    p[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    if (threadIdx.x == 0) sum<<<1, 1, 0, cudaStreamFireAndForget>>>(p, blockDim.x, out);
}

int main() {
    int *p = zeros<int>(128), *out = zeros<int>(1);
    parent<<<1, 128>>>(p, out);
    return verdict(wrong(out, 1, [](int) { return 128 * 129 / 2; }));
}
