// Kernels of two streams store different values to one byte of a variable; then a copy carries it on.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__device__ unsigned char winner[16];

__global__ void one() { *(volatile unsigned char*)&winner[5] = 1; }  //~ advice/outcome
__global__ void two() { *(volatile unsigned char*)&winner[5] = 2; }  //~ advice/outcome

int main() {
    unsigned char* p = zeros<unsigned char>(16);
    cudaStream_t a, b;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    one<<<1, 1, 0, a>>>();
    two<<<1, 1, 0, b>>>();
    CHECK(cudaDeviceSynchronize());
    void* address;
    CHECK(cudaGetSymbolAddress(&address, winner));
    CHECK(cudaMemcpy(p, address, 16, cudaMemcpyDeviceToDevice));
    CHECK(cudaDeviceSynchronize());
    return verdict(0);
}
