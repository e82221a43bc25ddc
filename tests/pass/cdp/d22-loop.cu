// The twin of fail/cdp/d22-loop.cu: the loop is a tail that launches itself.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

constexpr int N = 32, ROUNDS = 5;

__global__ void step(const float* from, float* to) {
    int i = threadIdx.x;
    to[i] = from[(i + 1) % N] + 1;
}

__global__ void parent(float* a, float* b, int round) {
    step<<<1, N>>>(round % 2 ? b : a, round % 2 ? a : b);
    if (round + 1 < ROUNDS) parent<<<1, 1, 0, cudaStreamTailLaunch>>>(a, b, round + 1);
}

__global__ void one(float* a, float* b) {
    step<<<1, N>>>(a, b);
}

int main() {
    float *a = zeros<float>(N), *b = zeros<float>(N);
    parent<<<1, 1>>>(a, b, 0);
    CHECK(cudaGetLastError());
    one<<<1, 1>>>(b, a);
    CHECK(cudaGetLastError());
    return verdict(wrong(a, N, [](int) { return ROUNDS + 1; }));
}
