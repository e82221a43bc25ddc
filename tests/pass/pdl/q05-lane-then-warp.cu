// q05: one lane of each warp waits, then its warp meets.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void produce(long long* p) {
    trigger();
    p[threadIdx.x] = 4;
}

__global__ void consume(const long long* p, long long* out) {
    if (threadIdx.x % 32 == 0) wait();
    __syncwarp();
    out[threadIdx.x] = p[threadIdx.x] + p[(threadIdx.x + 40) % 96];
}

int main() {
    long long *p = zeros<long long>(96), *out = zeros<long long>(96);
    cudaStream_t stream = stream_of_its_own();
    produce<<<1, 96, 0, stream>>>(p);
    early(consume, 1, 96, stream, p, out);
    return verdict(wrong(out, 96, [](int) { return 8; }));
}
