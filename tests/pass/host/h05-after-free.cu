// The twin of fail/host/h05-after-free.cu: it is freed when the kernel is done.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void use(int* p, int* out) {
    out[threadIdx.x] = p[threadIdx.x];
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    int* again = p;
    use<<<1, 64>>>(again, out);
    int bad = wrong(out, 64, [](int) { return 0; });
    CHECK(cudaFree(p));
    return verdict(bad);
}
