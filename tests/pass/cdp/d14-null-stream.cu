// The twin of fail/cdp/d14-null-stream.cu: each block has a buffer of its own.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void produce(int* tmp, int who) {
    tmp[threadIdx.x] = 100 * who + threadIdx.x;
}

__global__ void consume(const int* tmp, int* out) { out[threadIdx.x] = tmp[threadIdx.x]; }

__global__ void parent(int* tmp, int* out) {
    int* mine = tmp + 32 * blockIdx.x;
    produce<<<1, 32>>>(mine, blockIdx.x);
    consume<<<1, 32>>>(mine, out + 32 * blockIdx.x);
}

int main() {
    int *tmp = zeros<int>(64), *out = zeros<int>(64);
    parent<<<2, 1>>>(tmp, out);
    return verdict(wrong(out, 64, [](int i) { return i / 32 * 100 + i % 32; }));
}
