// d14: the same within one block: two threads with a stream each and one workspace of bytes.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void produce(unsigned char* tmp, int who) {
    tmp[threadIdx.x] = 64 * who + threadIdx.x;  //~ race/sibling
}

__global__ void consume(const unsigned char* tmp, int n, int* out) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += tmp[i];
    *out = sum;
}

__global__ void parent(unsigned char* workspace, int* out) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    unsigned char* mine = workspace;
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
