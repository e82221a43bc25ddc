// l09: __ldg of a vector, of what the first of three kernels wrote, behind the waits of both others.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void produce(float4* p) {
    trigger();
    p[threadIdx.x] = make_float4(1, 2, 3, 4);
}

__global__ void between(float* out) {
    trigger();
    wait();
    out[threadIdx.x] = 1;
}

__global__ void consume(const float4* p, float* out) {
    wait();
    float4 four = __ldg(p + threadIdx.x);  //~ pdl/non-coherent
    out[threadIdx.x] += four.x + four.y + four.z + four.w;
}

int main() {
    float4* p = zeros<float4>(64);
    float* out = zeros<float>(64);
    cudaStream_t stream = stream_of_its_own();
    produce<<<1, 64, 0, stream>>>(p);
    early(between, 1, 64, stream, out);
    early(consume, 1, 64, stream, p, out);
    return verdict(wrong(out, 64, [](int) { return 11; }));
}
