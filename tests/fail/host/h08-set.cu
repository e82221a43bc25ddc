// h08: cudaMemset of device memory returns before it is done, and a non-blocking stream does not wait for the default stream.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__global__ void add(const int* p, int* out) {
    out[threadIdx.x] = p[threadIdx.x] + 1;  //~ race/stream
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMemset(p, 0xff, 64 * sizeof(int)));
    add<<<1, 64, 0, stream>>>(p, out);
    return verdict(wrong(out, 64, [](int) { return 0; }));
}
