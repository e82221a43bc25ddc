// p03: stores, a fence, an atomic ticket; the last block fences and launches a child that reads what all blocks stored.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__device__ unsigned arrived;

__global__ void total(const float* partial, int n, float* out) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += partial[i];
    *out = sum;
}

__global__ void reduce(const float* values, float* partial, float* out) {
    __shared__ float cell[64];
    int i = threadIdx.x;
    cell[i] = values[blockIdx.x * 64 + i];
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (i < half) cell[i] += cell[i + half];
    }
    if (i != 0) return;
    partial[blockIdx.x] = cell[0];
    __threadfence();
    if (atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1) {
        __threadfence();
        total<<<1, 1, 0, cudaStreamTailLaunch>>>(partial, gridDim.x, out);
    }
}

__global__ void number(float* values) { values[blockIdx.x * 64 + threadIdx.x] = blockIdx.x; }

int main() {
    float *values = zeros<float>(64 * 20), *partial = zeros<float>(20), *out = zeros<float>(1);
    number<<<20, 64>>>(values);
    reduce<<<20, 64>>>(values, partial, out);
    return verdict(wrong(out, 1, [](int) { return 64 * 190; }));
}
