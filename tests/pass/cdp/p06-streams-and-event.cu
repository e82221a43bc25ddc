// p06: named device streams and an event: a producer in one, a consumer in the other, and a tail that reads both.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void produce(int* p) { p[threadIdx.x] = 5 * threadIdx.x; }
__global__ void consume(const int* p, char* q) { q[threadIdx.x] = p[threadIdx.x] % 100; }
__global__ void both(const int* p, const char* q, int* out) { out[threadIdx.x] = p[threadIdx.x] + q[threadIdx.x]; }

__global__ void parent(int* p, char* q, int* out) {
    cudaStream_t a, b;
    cudaEvent_t produced;
    if (cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking) != cudaSuccess) return;
    if (cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking) != cudaSuccess) return;
    if (cudaEventCreateWithFlags(&produced, cudaEventDisableTiming) != cudaSuccess) return;
    produce<<<1, 40, 0, a>>>(p);
    cudaEventRecord(produced, a);
    cudaStreamWaitEvent(b, produced, 0);
    consume<<<1, 40, 0, b>>>(p, q);
    both<<<1, 40, 0, cudaStreamTailLaunch>>>(p, q, out);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaEventDestroy(produced);
}

int main() {
    int *p = zeros<int>(40), *out = zeros<int>(40);
    char* q = zeros<char>(40);
    parent<<<1, 1>>>(p, q, out);
    return verdict(wrong(out, 40, [](int i) { return 5 * i + 5 * i % 100; }));
}
