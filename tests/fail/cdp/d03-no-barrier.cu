// d03: every thread writes its cell and thread 0 launches a child that reads all of them: only what thread 0 itself wrote is
// ordered before the launch.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void sum(const int* p, int n, int* out) {
    int total = 0;
    for (int i = 0; i < n; ++i)
        total += p[i];  //~ race/parent-child
    *out = total;
}

__global__ void parent(int* p, int* out) {
    p[threadIdx.x] = threadIdx.x + 1;
    if (threadIdx.x == 0) sum<<<1, 1, 0, cudaStreamFireAndForget>>>(p, blockDim.x, out);
}

int main() {
    int *p = zeros<int>(128), *out = zeros<int>(1);
    parent<<<1, 128>>>(p, out);
    return verdict(wrong(out, 1, [](int) { return 128 * 129 / 2; }));
}
