// The twin of fail/cdp/d05-half-fenced.cu: the thread that takes the ticket fences before and behind it.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__device__ unsigned arrived;

__global__ void collect(const float2* p, float* out) {
    out[threadIdx.x] = p[threadIdx.x].x * p[threadIdx.x].y;
}

__global__ void parent(float2* p, float* out) {
    __shared__ bool last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = make_float2(i, 2);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    if (threadIdx.x == 0) collect<<<1, gridDim.x * blockDim.x>>>(p, out);
}

int main() {
    float2* p = zeros<float2>(256);
    float* out = zeros<float>(256);
    parent<<<8, 32>>>(p, out);
    return verdict(wrong(out, 256, [](int i) { return 2 * i; }));
}
