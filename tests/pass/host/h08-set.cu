// The twin of fail/host/h08-set.cu: the stream is a blocking one, which the legacy default stream orders.
//
// build: -arch=sm_90 -lineinfo -g
//@gpu
#include "../../case.h"

__global__ void add(const int* p, int* out) {
    out[threadIdx.x] = p[threadIdx.x] + 1;
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
    CHECK(cudaMemset(p, 0xff, 64 * sizeof(int)));
    add<<<1, 64, 0, stream>>>(p, out);
    return verdict(wrong(out, 64, [](int) { return 0; }));
}
