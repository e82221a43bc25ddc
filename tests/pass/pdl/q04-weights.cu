// q04: weights are fetched before the wait; nobody has written them since the last synchronisation.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void layer(const float* weights, const float* x, float* y) {
    float weight = weights[threadIdx.x];
    trigger();
    wait();
    y[threadIdx.x] = weight * x[threadIdx.x] + 1;
}

__global__ void fill(float* p, float value) { p[threadIdx.x] = value; }

int main() {
    float *weights = zeros<float>(128), *x = zeros<float>(128), *y = zeros<float>(128);
    cudaStream_t stream = stream_of_its_own();
    fill<<<1, 128, 0, stream>>>(weights, 2);
    CHECK(cudaStreamSynchronize(stream));
    layer<<<1, 128, 0, stream>>>(weights, x, y);
    early(layer, 1, 128, stream, weights, y, x);
    early(layer, 1, 128, stream, weights, x, y);
    return verdict(wrong(y, 128, [](int) { return 7; }));
}
