// k03: a host function between two kernels reads what the first one wrote and writes what the second one reads; an event
// behind it orders another stream.
//
// build: -arch=sm_90 -lineinfo -g
//@gpu
#include "../../case.h"

__global__ void first(int* p) { p[threadIdx.x] = threadIdx.x; }
__global__ void second(const int* p, int* out) { *out = p[32]; }

static void between(void* data) {
    int* p = static_cast<int*>(data);
    int sum = 0;
    for (int i = 0; i < 32; ++i) sum += p[i];
    p[32] = sum;
}

int main() {
    int *p, *out = zeros<int>(1);
    CHECK(cudaHostAlloc(&p, 33 * sizeof(int), cudaHostAllocMapped));
    cudaStream_t a, b;
    cudaEvent_t event;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    first<<<1, 32, 0, a>>>(p);
    CHECK(cudaLaunchHostFunc(a, between, p));
    CHECK(cudaEventRecord(event, a));
    CHECK(cudaStreamWaitEvent(b, event, 0));
    second<<<1, 1, 0, b>>>(p, out);
    return verdict(wrong(out, 1, [](int) { return 31 * 16; }));
}
