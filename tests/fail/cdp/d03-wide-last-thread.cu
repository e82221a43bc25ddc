// d03: two blocks, whose last threads launch on the NULL stream a child for their block's vectors of 16 bytes.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void fold(const float4* p, float* out) {
    float4 v = p[threadIdx.x];  //~ race/parent-child
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

__global__ void parent(float4* p, float* out) {
    int first = blockIdx.x * blockDim.x;
    p[first + threadIdx.x] = make_float4(threadIdx.x, blockIdx.x, 0.5f, 0.25f);
    if (threadIdx.x == blockDim.x - 1) fold<<<1, blockDim.x>>>(p + first, out + first);
}

int main() {
    float4* p = zeros<float4>(128);
    float* out = zeros<float>(128);
    parent<<<2, 64>>>(p, out);
    return verdict(wrong(out, 128, [](int i) { return i % 64 + i / 64 + 0.75f; }));
}
