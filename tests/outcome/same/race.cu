// A race: it explains all that follows from it.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void store(int* p, int value) { *p = value; }  //~ race/stream
__global__ void use(const int* p, int* out) { out[threadIdx.x] = *p; }

int main() {
    int *p = zeros<int>(1), *out = zeros<int>(32);
    cudaStream_t a, b;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    store<<<1, 1, 0, a>>>(p, 1);
    store<<<1, 1, 0, b>>>(p, 2);
    CHECK(cudaDeviceSynchronize());
    use<<<1, 32>>>(p, out);
    CHECK(cudaDeviceSynchronize());
    return verdict(0);
}
