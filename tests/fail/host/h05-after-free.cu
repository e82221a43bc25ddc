// h05: a kernel is launched with memory that was freed.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void use(int* p, int* out) {
    out[threadIdx.x] = p[threadIdx.x];  //~ memory/freed
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    int* again = p;
    CHECK(cudaFree(p));
    use<<<1, 64>>>(again, out);
    return verdict(wrong(out, 64, [](int) { return 0; }));
}
