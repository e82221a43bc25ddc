// h06: a table in shared memory is filled for the elements that exist and read for all.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void look_up(const short* keys, int n, short* out) {
    __shared__ short table[64];
    if (threadIdx.x < n) table[threadIdx.x] = keys[threadIdx.x] + 1;
    __syncthreads();
    out[threadIdx.x] = table[63 - threadIdx.x];  //~ memory/uninitialised
}

int main() {
    short *keys = zeros<short>(64), *out = zeros<short>(64);
    look_up<<<1, 64>>>(keys, 50, out);
    return verdict(wrong(out, 64, [](int i) { return 63 - i < 50; }));
}
