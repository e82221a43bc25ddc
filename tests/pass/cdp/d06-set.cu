// The twin of fail/cdp/d06-set.cu: the target is global memory.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void parent(unsigned* scratch, unsigned* out) {
    unsigned* target = scratch;
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return;
    cudaMemsetAsync(target, 0xff, 2 * sizeof(unsigned), stream);
    out[0] = out[1] = 0;
}

int main() {
    unsigned *scratch = zeros<unsigned>(2), *out = zeros<unsigned>(2);
    parent<<<1, 1>>>(scratch, out);
    wrong(out, 2, [](int) { return 0u; });
    return verdict(wrong(scratch, 2, [](int) { return ~0u; }));
}
