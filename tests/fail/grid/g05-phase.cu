// g05: a thread arrives at an mbarrier and reads what others wrote without having waited for the phase.
//
// build: -arch=sm_90 -std=c++17 -lineinfo
#include <cuda/barrier>
#include <utility>

#include "../../case.h"

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void rotate(int* out, int rounds) {
    __shared__ int tile[128];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier barrier;
    int me = threadIdx.x, n = blockDim.x;
    if (me == 0) init(&barrier, n);
    __syncthreads();
    int value = blockIdx.x * n + me;
    for (int round = 0; round < rounds; ++round) {
        tile[me] = value;
        auto token = barrier.arrive();
        value = tile[(me + 1) % n];  //~ race/block
        barrier.wait(std::move(token));
        barrier.arrive_and_wait();
    }
    out[blockIdx.x * n + me] = value;
}

int main() {
    int* out = zeros<int>(4 * 128);
    rotate<<<4, 128>>>(out, 5);
    return verdict(wrong(out, 4 * 128, [](int i) { return i / 128 * 128 + (i % 128 + 5) % 128; }));
}
