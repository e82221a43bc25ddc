// The twin of fail/cdp/d18-null-stream.cu: fire and forget.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void child(float* p) { p[threadIdx.x] = 1; }

__global__ void parent(float* p) {
    child<<<1, 32, 0, cudaStreamFireAndForget>>>(p + 32 * threadIdx.x);
}

int main() {
    float* p = zeros<float>(32 * 256);
    parent<<<1, 256>>>(p);
    return verdict(wrong(p, 32 * 256, [](int) { return 1; }));
}
