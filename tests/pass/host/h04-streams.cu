// The twin of fail/host/h04-streams.cu: k01, the consumer's stream waits for the event.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void produce(int* p) { p[threadIdx.x] = threadIdx.x + 1; }

__global__ void consume(const int* p, int* out) {
    out[threadIdx.x] = 10 * p[threadIdx.x];
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    cudaEvent_t produced;
    CHECK(cudaEventCreateWithFlags(&produced, cudaEventDisableTiming));
    produce<<<1, 64, 0, first>>>(p);
    CHECK(cudaEventRecord(produced, first));
    CHECK(cudaStreamWaitEvent(second, produced, 0));
    consume<<<1, 64, 0, second>>>(p, out);
    return verdict(wrong(out, 64, [](int i) { return 10 * (i + 1); }));
}
