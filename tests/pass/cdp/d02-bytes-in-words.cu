// The twin of fail/cdp/d02-bytes-in-words.cu: the second stream waits for the event of the first.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void words(unsigned* p) { p[threadIdx.x] = 0x01010101u * threadIdx.x; }

__global__ void mark(unsigned char* p) {
    p[4 * threadIdx.x + 2] = 0xff;
}

__global__ void parent(unsigned* p) {
    cudaStream_t first, second;
    cudaEvent_t written;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&written, cudaEventDisableTiming);
    words<<<1, 32, 0, first>>>(p);
    cudaEventRecord(written, first);
    cudaStreamWaitEvent(second, written, 0);
    mark<<<1, 32, 0, second>>>(reinterpret_cast<unsigned char*>(p));
}

int main() {
    unsigned* p = zeros<unsigned>(32);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 32, [](int i) { return (0x01010101u * i & 0xff00ffffu) | 0x00ff0000u; }));
}
