// h08: the same for cudaMemcpy from pageable memory: its source is free when it returns, its destination is not ordered for a
// non-blocking stream. Rows of bytes.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__global__ void sum(const unsigned char* p, int pitch, int* out) {
    const unsigned char* row = p + threadIdx.x * pitch;
    for (int i = 0; i < 10; ++i)
        out[threadIdx.x] += row[i];  //~ race/stream
}

int main() {
    static unsigned char host[4][10];
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 10; ++x) host[y][x] = 10 * y + x;
    unsigned char* p = zeros<unsigned char>(4 * 64);
    int* out = zeros<int>(4);
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMemcpy2D(p, 64, host, 10, 10, 4, cudaMemcpyHostToDevice));
    sum<<<1, 4, 0, stream>>>(p, 64, out);
    return verdict(wrong(out, 4, [](int y) { return 100 * y + 45; }));
}
