// d16: each of 256 threads takes 64 KiB of a heap of 8 MiB, does not look at the pointer, and hands it to a child that writes
// through it.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void child(int* p, int* out) {
    p[0] = 1;  //~ memory/bounds
    *out = p[0];
}

__global__ void parent(int* out) {
    int* p = static_cast<int*>(malloc(64 << 10));  //~ memory/heap
    child<<<1, 1>>>(p, out + threadIdx.x);
}

int main() {
    int* out = zeros<int>(256);
    parent<<<1, 256>>>(out);
    return verdict(wrong(out, 256, [](int) { return 1; }));
}
