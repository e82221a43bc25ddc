// l07: the second kernel never waits, and the third one waits for it only, but reads what the first one wrote.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void first(int* m) {
    trigger();
    m[threadIdx.x] = threadIdx.x;
}

__global__ void second(int* other) {
    trigger();
    other[threadIdx.x] = 1;
}

__global__ void third(const int* m, const int* other, int* out) {
    wait();
    out[threadIdx.x] = other[threadIdx.x]
        + m[threadIdx.x];  //~ pdl/chain
}

int main() {
    int *m = zeros<int>(32), *other = zeros<int>(32), *out = zeros<int>(32);
    cudaStream_t stream = stream_of_its_own();
    first<<<1, 32, 0, stream>>>(m);
    early(second, 1, 32, stream, other);
    early(third, 1, 32, stream, m, other, out);
    return verdict(wrong(out, 32, [](int i) { return i + 1; }));
}
