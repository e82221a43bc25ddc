// h04: three streams and two events in a chain of which one link is missing: the last kernel waits for the first one, not for
// the second. It overwrites what the second still reads.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void one(unsigned* p) { p[threadIdx.x] = threadIdx.x; }
__global__ void two(const unsigned* p, unsigned* out) { out[threadIdx.x] = p[threadIdx.x] ^ 1; }

__global__ void three(unsigned* p) {
    p[threadIdx.x] = 77;  //~ race/stream
}

int main() {
    unsigned *p = zeros<unsigned>(32), *out = zeros<unsigned>(32);
    cudaStream_t stream[3];
    cudaEvent_t done[2];
    for (auto& each : stream) CHECK(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking));
    for (auto& each : done) CHECK(cudaEventCreateWithFlags(&each, cudaEventDisableTiming));
    one<<<1, 32, 0, stream[0]>>>(p);
    CHECK(cudaEventRecord(done[0], stream[0]));
    CHECK(cudaStreamWaitEvent(stream[1], done[0], 0));
    two<<<1, 32, 0, stream[1]>>>(p, out);
    CHECK(cudaEventRecord(done[1], stream[1]));
    CHECK(cudaStreamWaitEvent(stream[2], done[0], 0));
    three<<<1, 32, 0, stream[2]>>>(p);
    return verdict(wrong(out, 32, [](int i) { return i ^ 1; }));
}
