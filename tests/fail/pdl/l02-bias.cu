// l02: one value is read before the wait, the rest behind it.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void produce(float* x, float* bias) {
    trigger();
    x[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) *bias = 0.25f;
}

__global__ void consume(const float* x, const float* bias, float* out) {
    float b = *bias;  //~ race/pdl
    wait();
    out[threadIdx.x] = x[threadIdx.x] + b;
}

int main() {
    float *x = zeros<float>(64), *bias = zeros<float>(1), *out = zeros<float>(64);
    cudaStream_t stream = stream_of_its_own();
    produce<<<1, 64, 0, stream>>>(x, bias);
    early(consume, 1, 64, stream, x, bias, out);
    return verdict(wrong(out, 64, [](int i) { return i + 0.25f; }));
}
