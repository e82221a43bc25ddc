// The twin of fail/host/h06-alignment.cu: each thread has four elements.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void sum(const float* p, float* out) {
    float4 v = *reinterpret_cast<const float4*>(p + 4 * threadIdx.x);
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

int main() {
    float *p = zeros<float>(64), *out = zeros<float>(64);
    sum<<<1, 8>>>(p, out);
    return verdict(wrong(out, 64, [](int) { return 0; }));
}
