// h02: an asynchronous copy to pinned memory, which the CPU reads before it waits for the copy.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__global__ void number(int* p) { p[threadIdx.x] = threadIdx.x + 1; }

int main() {
    int *p = zeros<int>(128), *host;
    CHECK(cudaMallocHost(&host, 128 * sizeof(int)));
    for (int i = 0; i < 128; ++i) host[i] = 0;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    number<<<1, 128, 0, stream>>>(p);
    CHECK(cudaMemcpyAsync(host, p, 128 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    int bad = 0;
    for (int i = 0; i < 128; ++i)
        bad += host[i] != i + 1;  //~ race/host
    CHECK(cudaDeviceSynchronize());
    return verdict(bad);
}
