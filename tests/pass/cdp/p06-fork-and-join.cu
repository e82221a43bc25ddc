// p06: four named streams fork from one event and join again in the NULL stream of the block.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void begin(long long* p) { *p = 5; }
__global__ void part(const long long* p, long long* out, int k) { out[k] = *p + k; }
__global__ void join(const long long* p, long long* sum) {
    for (int k = 0; k < 4; ++k) *sum += p[k];
}

__global__ void parent(long long* p, long long* parts, long long* sum) {
    if (threadIdx.x != 0) return;
    cudaEvent_t begun;
    cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
    begin<<<1, 1>>>(p);
    cudaEventRecord(begun, 0);
    for (int k = 0; k < 4; ++k) {
        cudaStream_t stream;
        cudaEvent_t done;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
        cudaStreamWaitEvent(stream, begun, 0);
        part<<<1, 1, 0, stream>>>(p, parts, k);
        cudaEventRecord(done, stream);
        cudaStreamWaitEvent(0, done, 0);
        cudaEventDestroy(done);
        cudaStreamDestroy(stream);
    }
    join<<<1, 1>>>(parts, sum);
}

int main() {
    long long *p = zeros<long long>(1), *parts = zeros<long long>(4), *sum = zeros<long long>(1);
    parent<<<1, 32>>>(p, parts, sum);
    return verdict(wrong(sum, 1, [](int) { return 26; }));
}
