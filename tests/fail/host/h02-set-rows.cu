// h02: rows of pinned memory are set asynchronously, a copy of two dimensions follows; the CPU reads a byte of the third row.
//
// build: -arch=sm_90 -g
#include "../../case.h"

int main() {
    unsigned char *host, *device = zeros<unsigned char>(16 * 32);
    CHECK(cudaHostAlloc(&host, 16 * 32, cudaHostAllocDefault));
    for (int i = 0; i < 16 * 32; ++i) host[i] = 1;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemset2DAsync(device, 32, 7, 20, 16, stream));
    CHECK(cudaMemcpy2DAsync(host, 32, device, 32, 20, 16, cudaMemcpyDeviceToHost, stream));
    int bad = host[2 * 32 + 5] != 7;  //~ race/host
    bad += host[2 * 32 + 25] != 1;
    CHECK(cudaDeviceSynchronize());
    return verdict(bad);
}
