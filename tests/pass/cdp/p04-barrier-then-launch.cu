// p04: one block produces, a barrier, one thread launches, and the child reads everything.
//
// build: -arch=sm_90 -rdc=true -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void scan(const long long* p, int n, long long* out) {
    long long sum = 0;
    for (int i = 0; i < n; ++i) out[i] = sum += p[i];
}

__global__ void produce(long long* p, long long* out) {
    for (int i = threadIdx.x; i < 500; i += blockDim.x) p[i] = i;
    __syncthreads();
    if (threadIdx.x == 100) scan<<<1, 1, 0, cudaStreamFireAndForget>>>(p, 500, out);
}

int main() {
    long long *p = zeros<long long>(500), *out = zeros<long long>(500);
    produce<<<1, 128>>>(p, out);
    return verdict(wrong(out, 500, [](int i) { return i * (i + 1) / 2; }));
}
