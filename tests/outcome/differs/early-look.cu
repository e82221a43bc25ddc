// A kernel looks at what another stream's kernel publishes, once, and keeps what it saw.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void publish(volatile long long* p) { *p = 7; }
__global__ void look(const volatile long long* p, long long* seen) { seen[threadIdx.x] = *p * 3; }  //~ advice/outcome

int main() {
    long long *p = zeros<long long>(1), *seen = zeros<long long>(32);
    cudaStream_t a, b;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    look<<<1, 32, 0, b>>>(p, seen);
    publish<<<1, 1, 0, a>>>(p);
    CHECK(cudaDeviceSynchronize());
    return verdict(0);
}
