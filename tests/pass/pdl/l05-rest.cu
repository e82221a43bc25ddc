// The twin of fail/pdl/l05-rest.cu: it waits, too.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void produce(short* p, int length) {
    for (int i = threadIdx.x; i < length; i += blockDim.x) p[i] = i;
    __syncthreads();
    trigger();
}

__global__ void add(short* p, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((blockIdx.x + 1) * blockDim.x <= length) {
        wait();
        p[i] += 1;
    } else if (i < length) {
        wait();
        p[i] += 1;
    }
}

int main() {
    short* p = zeros<short>(100);
    cudaStream_t stream = stream_of_its_own();
    produce<<<1, 64, 0, stream>>>(p, 100);
    early(add, 2, 64, stream, p, 100);
    return verdict(wrong(p, 100, [](int i) { return i + 1; }));
}
