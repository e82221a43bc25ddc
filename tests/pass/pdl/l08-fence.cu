// The twin of fail/pdl/l08-fence.cu: it waits.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void produce(int* p) {
    p[blockIdx.x * blockDim.x + threadIdx.x] = 3;
    __threadfence();
    trigger();
}

__global__ void consume(const int* p, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    wait();
    out[i] = p[i];
}

int main() {
    int *p = zeros<int>(128), *out = zeros<int>(128);
    cudaStream_t stream = stream_of_its_own();
    produce<<<2, 64, 0, stream>>>(p);
    early(consume, 2, 64, stream, p, out);
    return verdict(wrong(out, 128, [](int) { return 3; }));
}
