// k04: a cooperative launch, whose blocks exchange data over the synchronisation of the grid.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

#include <cooperative_groups.h>

__global__ void rotate(int* p, int* out) {
    auto grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int round = 0; round < 3; ++round) {
        p[i] = i + round;
        grid.sync();
        out[i] += p[(i + blockDim.x) % n];
        grid.sync();
    }
}

int main() {
    int *p = zeros<int>(256), *out = zeros<int>(256);
    void* arguments[] = {&p, &out};
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rotate), dim3(8), dim3(32), arguments, 0, 0));
    return verdict(wrong(out, 256, [](int i) { return 3 * ((i + 32) % 256) + 3; }));
}
