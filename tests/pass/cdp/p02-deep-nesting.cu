// p02: fire-and-forget children nested 1,000 deep, each of which writes a cell of its own.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void nest(unsigned short* p, int depth) {
    p[depth] = depth + 1;
    if (depth + 1 < 1000) nest<<<1, 1, 0, cudaStreamFireAndForget>>>(p, depth + 1);
}

int main() {
    unsigned short* p = zeros<unsigned short>(1000);
    nest<<<1, 1>>>(p, 0);
    return verdict(wrong(p, 1000, [](int i) { return i + 1; }));
}
