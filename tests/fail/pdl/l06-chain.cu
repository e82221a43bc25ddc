// l06: the third kernel reads, before its own wait, what the first one writes; the second waits, but may not have yet.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void first(int* m) {
    trigger();
    for (int i = 0; i < 64; ++i) m[threadIdx.x] += i;  //~ race/pdl
}

__global__ void second(int* other) {
    trigger();
    wait();
    other[threadIdx.x] = 1;
}

__global__ void third(const int* m, const int* other, int* out) {
    int own = m[threadIdx.x];  //~ race/pdl
    wait();
    out[threadIdx.x] = own + other[threadIdx.x];
}

int main() {
    int *m = zeros<int>(32), *other = zeros<int>(32), *out = zeros<int>(32);
    cudaStream_t stream = stream_of_its_own();
    first<<<1, 32, 0, stream>>>(m);
    early(second, 1, 32, stream, other);
    early(third, 1, 32, stream, m, other, out);
    return verdict(wrong(out, 32, [](int) { return 63 * 32 + 1; }));
}
