// g01: a bitmap in global memory: threads of one block set their bit by reading and writing the byte that eight of them
// share.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void mark(const int* keep, unsigned char* bits) {
    int i = threadIdx.x;
    if (keep[i])
        bits[i / 8] |= 1 << i % 8;  //~ race/block
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
