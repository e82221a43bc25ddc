// The twin of fail/pdl/l07-chain.cu: the second one waits, too.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void first(int* m) {
    trigger();
    m[threadIdx.x] = threadIdx.x;
}

__global__ void second(int* other) {
    trigger();
    other[threadIdx.x] = 1;
    wait();
}

__global__ void third(const int* m, const int* other, int* out) {
    wait();
    out[threadIdx.x] = other[threadIdx.x]
        + m[threadIdx.x];
}

int main() {
    int *m = zeros<int>(32), *other = zeros<int>(32), *out = zeros<int>(32);
    cudaStream_t stream = stream_of_its_own();
    first<<<1, 32, 0, stream>>>(m);
    early(second, 1, 32, stream, other);
    early(third, 1, 32, stream, m, other, out);
    return verdict(wrong(out, 32, [](int i) { return i + 1; }));
}
