// g03: one warp of each block waits for the cluster, the others of the block wait for that warp.
//
// build: -arch=sm_90 -std=c++17 -lineinfo
#include <cooperative_groups.h>

#include "../../case.h"

__global__ void __cluster_dims__(2, 1, 1) meet(int* out) {
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    if (threadIdx.x < 32) {
        atomicAdd(out, 1);
        cluster.sync();
    }
    __syncthreads();  //~ progress/barrier
    if (threadIdx.x == 0) atomicAdd(out, 100);
}

int main() {
    int* out = zeros<int>(1);
    meet<<<4, 64>>>(out);
    return verdict(wrong(out, 1, [](int) { return 4 * 32 + 400; }));
}
