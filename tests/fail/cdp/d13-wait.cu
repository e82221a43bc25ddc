// d13: fire-and-forget launches are told to wait for an event: they wait for nothing.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void half(float* p) { p[threadIdx.x] *= 0.5f; }

__global__ void parent(float* p, float* q) {
    cudaStream_t stream;
    cudaEvent_t ready;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    half<<<1, 8, 0, stream>>>(p);
    cudaEventRecord(ready, stream);
    cudaStreamWaitEvent(cudaStreamFireAndForget, ready, 0);  //~ stream/special
    half<<<1, 8, 0, cudaStreamFireAndForget>>>(q);
}

__global__ void number(float* p) { p[threadIdx.x] = threadIdx.x; }

int main() {
    float *p = zeros<float>(8), *q = zeros<float>(8);
    number<<<1, 8>>>(p);
    number<<<1, 8>>>(q);
    parent<<<1, 1>>>(p, q);
    auto halves = [](int i) { return 0.5f * i; };
    return verdict(wrong(p, 8, halves) + wrong(q, 8, halves));
}
