// d14: the NULL stream is one per block: two blocks that each launch a producer and a consumer there must not share the
// buffer between the two.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void produce(int* tmp, int who) {
    tmp[threadIdx.x] = 100 * who + threadIdx.x;  //~ race/sibling
}

__global__ void consume(const int* tmp, int* out) { out[threadIdx.x] = tmp[threadIdx.x]; }

__global__ void parent(int* tmp, int* out) {
    int* mine = tmp;
    produce<<<1, 32>>>(mine, blockIdx.x);
    consume<<<1, 32>>>(mine, out + 32 * blockIdx.x);
}

int main() {
    int *tmp = zeros<int>(64), *out = zeros<int>(64);
    parent<<<2, 1>>>(tmp, out);
    return verdict(wrong(out, 64, [](int i) { return i / 32 * 100 + i % 32; }));
}
