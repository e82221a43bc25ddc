// The twin of fail/pdl/l04-leader.cu: the barrier comes behind the wait.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void produce(double* p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = 0.5 * i;
    trigger();
}

__global__ void scale(double* p) {
    if (threadIdx.x == 0) wait();
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 384; i += gridDim.x * blockDim.x) {
        p[i] = 2 * p[i];
    }
}

int main() {
    double* p = zeros<double>(384);
    cudaStream_t stream = stream_of_its_own();
    produce<<<6, 64, 0, stream>>>(p);
    early(scale, 2, 96, stream, p);
    return verdict(wrong(p, 384, [](int i) { return i; }));
}
