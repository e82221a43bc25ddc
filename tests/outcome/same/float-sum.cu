// A sum of floats by atomics has the rounding of its order; the host uses it for what it computes next.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void sum(float* total) { atomicAdd(total, blockIdx.x % 2 ? 1.0f : 1e8f / (1 + blockIdx.x)); }
__global__ void scale(float* out, float by) { out[threadIdx.x] = by * threadIdx.x; }

int main() {
    float *total = zeros<float>(1), *out = zeros<float>(64), *again = zeros<float>(64);
    sum<<<64, 32>>>(total);
    float host;
    CHECK(cudaMemcpy(&host, total, 4, cudaMemcpyDeviceToHost));
    scale<<<1, 64>>>(out, 1 / host);
    float copies[64];
    for (float& copy : copies) copy = host / 3;
    CHECK(cudaMemcpy(again, copies, sizeof copies, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    return verdict(!(host > 1e8f));
}
