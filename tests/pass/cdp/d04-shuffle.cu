// The twin of fail/cdp/d04-shuffle.cu: __syncwarp() behind the shuffle.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void weigh(const unsigned short* p, int n, int* out) {
    int sum = 0;
    for (int i = 0; i < n; ++i)
        sum += p[i];
    *out = sum;
}

__global__ void parent(unsigned short* p, int* out) {
    int i = threadIdx.x, warp = i / 32, lane = i % 32;
    p[i] = i;
    int last = __shfl_sync(~0u, i, 31);
    __syncwarp();
    if (lane == 31) weigh<<<1, 1, 0, cudaStreamFireAndForget>>>(p + 32 * warp, last - 32 * warp + 1, out + warp);
}

int main() {
    unsigned short* p = zeros<unsigned short>(64);
    int* out = zeros<int>(2);
    parent<<<1, 64>>>(p, out);
    return verdict(wrong(out, 2, [](int i) { return 31 * 16 + 32 * 32 * i; }));
}
