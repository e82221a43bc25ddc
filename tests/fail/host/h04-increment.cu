// h04: two non-blocking streams; the second kernel adds to what the first one fills. Where it comes first it finds bytes that nobody
// has set, which is no second fault.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__global__ void fill(short* p) { p[threadIdx.x] = 3; }

__global__ void add(short* p) {
    p[threadIdx.x] += 4;  //~ race/stream
}

int main() {
    short* p;
    CHECK(cudaMalloc(&p, 64 * sizeof(short)));
    cudaStream_t a, b;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    fill<<<1, 64, 0, a>>>(p);
    add<<<1, 64, 0, b>>>(p);
    return verdict(wrong(p, 64, [](int) { return 7; }));
}
