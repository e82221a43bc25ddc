// The twin of fail/grid/g02-counts-looks.cu: the grid fits the device.
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

constexpr int BLOCKS = 130;

__device__ unsigned arrived;

__global__ void phases(float* p, float* out, long* looks) {
    if (threadIdx.x == 0) {
        p[blockIdx.x] = blockIdx.x + 0.5f;
        __threadfence();
        atomicAdd(&arrived, 1);
        long count = 0;
        for (;; count += 2) {
            unsigned seen = *static_cast<volatile unsigned*>(&arrived);
            if (seen == gridDim.x) break;
        }
        looks[blockIdx.x] = count;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 1) out[blockIdx.x] = p[gridDim.x - 1 - blockIdx.x];
}

int main() {
    float *p = zeros<float>(BLOCKS), *out = zeros<float>(BLOCKS);
    long* looks = zeros<long>(BLOCKS);
    phases<<<BLOCKS, 16>>>(p, out, looks);
    return verdict(wrong(out, BLOCKS, [](int i) { return BLOCKS - i - 0.5f; }));
}
