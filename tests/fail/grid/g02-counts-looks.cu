// g02: as g02-barrier, with 16 threads a block of which one counts its looks while it waits.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

constexpr int BLOCKS = 4300;  // 132 multiprocessors hold 32 blocks each: 4,224

__device__ unsigned arrived;

__global__ void phases(float* p, float* out, long* looks) {
    if (threadIdx.x == 0) {
        p[blockIdx.x] = blockIdx.x + 0.5f;
        __threadfence();
        atomicAdd(&arrived, 1);
        long count = 0;
        for (;; count += 2) {  //~ progress/residency
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
