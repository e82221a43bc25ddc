// h04: producer and consumer in two non-blocking streams, with no event.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void produce(int* p) { p[threadIdx.x] = threadIdx.x + 1; }

__global__ void consume(const int* p, int* out) {
    out[threadIdx.x] = 10 * p[threadIdx.x];  //~ race/stream
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
    consume<<<1, 64, 0, second>>>(p, out);
    return verdict(wrong(out, 64, [](int i) { return 10 * (i + 1); }));
}
