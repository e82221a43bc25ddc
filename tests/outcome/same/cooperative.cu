// Blocks that meet at a grid barrier count each other by atomics: what they compute is theirs all the same.
//
// build: -arch=sm_90 -lineinfo
#include <cooperative_groups.h>
#include <cstring>
#include "../../case.h"

__global__ void halves(int* p, int n) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int half = n / 2; half > 0; half /= 2) {
        grid.sync();
        if (at < half) p[at] += p[at + half];
    }
}

int main() {
    int n = 256, ones[256];
    for (int& one : ones) one = 1;
    int* p = zeros<int>(n);
    CHECK(cudaMemcpy(p, ones, sizeof ones, cudaMemcpyHostToDevice));
    void* arguments[] = {&p, &n};
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(halves), dim3(4), dim3(64), arguments, 0, nullptr));
    return verdict(wrong(p, 1, [](int) { return 256; }));
}
