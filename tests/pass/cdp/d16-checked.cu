// d16: the heap gets full, and each thread looks at its pointer before it uses it.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void child(int* p, int* out) {
    p[0] = 1;
    *out = p[0];
}

__global__ void parent(int* out) {
    int* p = static_cast<int*>(malloc(64 << 10));
    if (p) child<<<1, 1>>>(p, out + threadIdx.x);
    else out[threadIdx.x] = 1;
}

int main() {
    int* out = zeros<int>(256);
    parent<<<1, 256>>>(out);
    return verdict(wrong(out, 256, [](int) { return 1; }));
}
