// d02: children in two named streams: one writes words, the other one byte in each of them.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void words(unsigned* p) { p[threadIdx.x] = 0x01010101u * threadIdx.x; }

__global__ void mark(unsigned char* p) {
    p[4 * threadIdx.x + 2] = 0xff;  //~ race/sibling
}

__global__ void parent(unsigned* p) {
    cudaStream_t first, second;
    cudaEvent_t written;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&written, cudaEventDisableTiming);
    words<<<1, 32, 0, first>>>(p);
    cudaEventRecord(written, first);
    mark<<<1, 32, 0, second>>>(reinterpret_cast<unsigned char*>(p));
}

int main() {
    unsigned* p = zeros<unsigned>(32);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 32, [](int i) { return (0x01010101u * i & 0xff00ffffu) | 0x00ff0000u; }));
}
