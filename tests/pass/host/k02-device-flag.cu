// k02: a device flag in mapped memory: payload, system fence, volatile flag; the CPU polls the flag and reads the payload
// while the kernel still runs.
//
// build: -arch=sm_90 -lineinfo -g
//@gpu
#include "../../case.h"

#include <atomic>

__global__ void publish(int* payload, volatile int* flag) {
    for (int i = 0; i < 16; ++i) payload[i] = i * i;
    __threadfence_system();
    *flag = 1;
    while (*flag != 2) {}
}

int main() {
    int *host, *device;
    CHECK(cudaHostAlloc(&host, 32 * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&device, host, 0));
    for (int i = 0; i < 32; ++i) host[i] = 0;
    auto* flag = reinterpret_cast<std::atomic<int>*>(host + 16);
    publish<<<1, 1>>>(device, device + 16);
    CHECK(cudaGetLastError());
    while (flag->load(std::memory_order_acquire) == 0) {}
    int bad = 0;
    for (int i = 0; i < 16; ++i) bad += host[i] != i * i;
    flag->store(2, std::memory_order_release);
    CHECK(cudaDeviceSynchronize());
    return verdict(bad);
}
