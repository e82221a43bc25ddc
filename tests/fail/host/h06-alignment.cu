// h06: a vector load from an address that is a multiple of 4 only.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void sum(const float* p, float* out) {
    float4 v = *reinterpret_cast<const float4*>(p + threadIdx.x);  //~ memory/alignment
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

int main() {
    float *p = zeros<float>(64), *out = zeros<float>(64);
    sum<<<1, 8>>>(p, out);
    return verdict(wrong(out, 64, [](int) { return 0; }));
}
