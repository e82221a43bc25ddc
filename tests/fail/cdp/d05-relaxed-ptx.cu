// d05: the ticket is an atomic of the scope of the block that takes part, written in PTX with acquire and release. Other
// blocks are outside of its scope: it orders nothing between them, and the tickets themselves race.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__device__ unsigned arrived;

__device__ unsigned take(unsigned* ticket) {
    unsigned old;
    asm volatile("atom.acq_rel.cta.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(ticket) : "memory");  //~ race/grid
    return old;
}

__global__ void collect(const double* p, double* out) {
    *out += p[0] + p[1];  //~ race/parent-child
}

__global__ void parent(double* p, double* out) {
    p[blockIdx.x] = 1.5 + blockIdx.x;
    if (take(&arrived) == 1) collect<<<1, 1, 0, cudaStreamFireAndForget>>>(p, out);
}

int main() {
    double *p = zeros<double>(2), *out = zeros<double>(1);
    parent<<<2, 1>>>(p, out);
    return verdict(wrong(out, 1, [](int) { return 4.0; }));
}
