// The twin of fail/cdp/d19-constant.cu: the host waits for the first stream.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt -g
//@gpu
#include "../../case.h"

__constant__ int factor[32];

__global__ void child(int* out) {
    out[threadIdx.x] = 3 * factor[threadIdx.x];
}

__global__ void parent(int* out) { child<<<1, 32, 0, cudaStreamFireAndForget>>>(out); }

int main() {
    int *out = zeros<int>(32), *values;
    CHECK(cudaMallocHost(&values, 64 * sizeof(int)));
    for (int i = 0; i < 64; ++i) values[i] = i;
    CHECK(cudaMemcpyToSymbol(factor, values, 32 * sizeof(int)));
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    parent<<<1, 1, 0, first>>>(out);
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaMemcpyToSymbolAsync(factor, values + 32, 32 * sizeof(int), 0, cudaMemcpyHostToDevice, second));
    return verdict(wrong(out, 32, [](int i) { return 3 * i; }));
}
