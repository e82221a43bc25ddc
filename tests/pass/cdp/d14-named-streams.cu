// The twin of fail/cdp/d14-named-streams.cu: each thread has its part of the workspace.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void produce(unsigned char* tmp, int who) {
    tmp[threadIdx.x] = 64 * who + threadIdx.x;
}

__global__ void consume(const unsigned char* tmp, int n, int* out) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += tmp[i];
    *out = sum;
}

__global__ void parent(unsigned char* workspace, int* out) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    unsigned char* mine = workspace + 24 * threadIdx.x;
    produce<<<1, 24, 0, stream>>>(mine, threadIdx.x);
    consume<<<1, 1, 0, stream>>>(mine, 24, out + threadIdx.x);
    cudaStreamDestroy(stream);
}

int main() {
    unsigned char* workspace = zeros<unsigned char>(48);
    int* out = zeros<int>(2);
    parent<<<1, 2>>>(workspace, out);
    return verdict(wrong(out, 2, [](int i) { return 24 * 64 * i + 23 * 12; }));
}
