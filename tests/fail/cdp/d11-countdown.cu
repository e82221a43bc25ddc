// d11: a join by hand: eight children count down, and the parent waits for zero with a compare-and-swap.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void work(unsigned long long* left, float* out) {
    out[threadIdx.x] = threadIdx.x * 0.5f;
    __syncthreads();
    __threadfence();
    if (threadIdx.x == 0) atomicAdd(left, ~0ull);
}

__global__ void parent(unsigned long long* left, float* out, float* sum) {
    *left = 8;
    __threadfence();
    for (int k = 0; k < 8; ++k) work<<<1, 16, 0, cudaStreamFireAndForget>>>(left, out + 16 * k);
    while (atomicCAS(left, 0ull, 0ull) != 0) {}  //~ progress/spin
    __threadfence();
    for (int i = 0; i < 128; ++i) *sum += out[i];
}

int main() {
    unsigned long long* left = zeros<unsigned long long>(1);
    float *out = zeros<float>(128), *sum = zeros<float>(1);
    parent<<<1, 1>>>(left, out, sum);
    return verdict(wrong(sum, 1, [](int) { return 480; }));
}
