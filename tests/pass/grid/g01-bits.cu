// The twin of fail/grid/g01-bits.cu: a ballot, and one thread a warp that stores.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void mark(const int* keep, unsigned char* bits) {
    int i = threadIdx.x;
    unsigned word = __ballot_sync(~0u, keep[i]);
    if (i % 32 == 0)
        for (int k = 0; k < 4; ++k) bits[i / 8 + k] = word >> (8 * k);
}

__global__ void choose(int* keep) { keep[threadIdx.x] = threadIdx.x % 3 == 0; }

int main() {
    int* keep = zeros<int>(64);
    unsigned char* bits = zeros<unsigned char>(8);
    choose<<<1, 64>>>(keep);
    mark<<<1, 64>>>(keep, bits);
    return verdict(wrong(bits, 8, [](int byte) {
        int value = 0;
        for (int k = 0; k < 8; ++k) value |= ((8 * byte + k) % 3 == 0) << k;
        return value;
    }));
}
