// The twin of fail/host/h06-uninitialised-shared.cu: the rest of the table is zero.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void look_up(const short* keys, int n, short* out) {
    __shared__ short table[64];
    table[threadIdx.x] = threadIdx.x < n ? keys[threadIdx.x] + 1 : 0;
    __syncthreads();
    out[threadIdx.x] = table[63 - threadIdx.x];
}

int main() {
    short *keys = zeros<short>(64), *out = zeros<short>(64);
    look_up<<<1, 64>>>(keys, 50, out);
    return verdict(wrong(out, 64, [](int i) { return 63 - i < 50; }));
}
