// k05: one warp hands data to the others of its block by a flag that is released, and read without acquiring it.
//
// build: -arch=sm_90 -std=c++17 -lineinfo
#include <cuda/atomic>

#include "../../case.h"

__global__ void hand_over(short* out) {
    __shared__ short data[4];
    __shared__ int flag;
    cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < 4; ++i) data[i] = 10 * i;
        ready.store(1, cuda::memory_order_release);
    }
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
    out[threadIdx.x] = data[threadIdx.x % 4];  //~ race/block
}

int main() {
    short* out = zeros<short>(96);
    hand_over<<<1, 96>>>(out);
    return verdict(wrong(out, 96, [](int i) { return i % 4 * 10; }));
}
