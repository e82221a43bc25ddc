// p05: 5,000 launches of the host in one stream: the pool is for device launches only.
//
// build: -arch=sm_90 -lineinfo
//@gpu
//@pool high-water=0 lost=0
#include "../../case.h"

__global__ void add(unsigned* p) { p[threadIdx.x] += threadIdx.x; }

int main() {
    unsigned* p = zeros<unsigned>(32);
    for (int i = 0; i < 5000; ++i) add<<<1, 32>>>(p);
    CHECK(cudaGetLastError());
    return verdict(wrong(p, 32, [](int i) { return 5000 * i; }));
}
