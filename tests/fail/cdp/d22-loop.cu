// d22: the wait is inside a loop, in a device function that two kernels call.
//
// build: -arch=sm_80 -DCUDA_FORCE_CDP1_IF_SUPPORTED -rdc=true -lineinfo -lcudadevrt
//@load-error
#include "../../case.h"

constexpr int N = 32, ROUNDS = 5;

__global__ void step(const float* from, float* to) {
    int i = threadIdx.x;
    to[i] = from[(i + 1) % N] + 1;
}

__device__ __noinline__ void wait() {
    cudaDeviceSynchronize();  //~ cdp1/synchronize
}

__global__ void parent(float* a, float* b) {
    for (int round = 0; round < ROUNDS; ++round) {
        step<<<1, N>>>(round % 2 ? b : a, round % 2 ? a : b);
        wait();
    }
}

__global__ void one(float* a, float* b) {
    step<<<1, N>>>(a, b);
    wait();
}

int main() {
    float *a = zeros<float>(N), *b = zeros<float>(N);
    parent<<<1, 1>>>(a, b);
    CHECK(cudaGetLastError());
    one<<<1, 1>>>(b, a);
    CHECK(cudaGetLastError());
    return verdict(wrong(a, N, [](int) { return ROUNDS + 1; }));
}
