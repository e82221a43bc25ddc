// The twin of fail/host/h06-bounds-shared.cu: there is room for one more.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void shift(const unsigned* p, unsigned* out) {
    extern __shared__ unsigned cell[];
    cell[threadIdx.x + 1] = p[threadIdx.x];
    if (threadIdx.x == 0) cell[0] = 9;
    __syncthreads();
    out[threadIdx.x] = cell[threadIdx.x];
}

int main() {
    unsigned *p = zeros<unsigned>(64), *out = zeros<unsigned>(64);
    shift<<<1, 64, 65 * sizeof(unsigned)>>>(p, out);
    return verdict(wrong(out, 64, [](int i) { return i == 0 ? 9 : 0; }));
}
