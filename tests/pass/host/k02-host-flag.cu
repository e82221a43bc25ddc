// k02: the reverse: a kernel waits for a flag that the CPU sets after the launch, behind a payload in managed memory; acquire
// loads of system scope in PTX.
//
// build: -arch=sm_90 -lineinfo -g
//@gpu
#include "../../case.h"

#include <atomic>

__device__ int acquire(const int* p) {
    int value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}

__global__ void wait(const int* flag, const double* payload, double* out) {
    while (acquire(flag) != 7) {}
    out[threadIdx.x] = payload[threadIdx.x];
}

int main() {
    int *host, *flag;
    double *payload, *out = zeros<double>(20);
    CHECK(cudaHostAlloc(&host, sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&flag, host, 0));
    CHECK(cudaHostAlloc(&payload, 20 * sizeof(double), cudaHostAllocMapped));
    *host = 0;
    wait<<<1, 20>>>(flag, payload, out);
    CHECK(cudaGetLastError());
    for (int i = 0; i < 20; ++i) payload[i] = 1.0 / (i + 1);
    reinterpret_cast<std::atomic<int>*>(host)->store(7, std::memory_order_release);
    return verdict(wrong(out, 20, [](int i) { return 1.0 / (i + 1); }));
}
