// d06: a local variable is the target of a device-side memset on a named stream.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void parent(unsigned* scratch, unsigned* out) {
    unsigned bits[2] = {scratch[0], scratch[1]};
    unsigned* target = bits;
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return;
    cudaMemsetAsync(target, 0xff, 2 * sizeof(unsigned), stream);  //~ pointer/private
    out[0] = bits[0];
    out[1] = bits[1];
}

int main() {
    unsigned *scratch = zeros<unsigned>(2), *out = zeros<unsigned>(2);
    parent<<<1, 1>>>(scratch, out);
    wrong(out, 2, [](int) { return 0u; });
    return verdict(wrong(scratch, 2, [](int) { return ~0u; }));
}
