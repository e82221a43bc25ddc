// Kernels that wait for the host: every thread spins on a flag in mapped memory that the host sets only after the launch has
// returned, then reads the payload that the host stored before the flag. Then the other way around.
// Usage: flag [BLOCKS [THREADS]]
//
// build: flag -arch=sm_90 -std=c++17
#include <atomic>
#include <chrono>
#include <thread>

#include "check.h"

__global__ void wait_for_host(const volatile int* flag, const volatile int* payload, int* out) {
    while (*flag == 0) {}
    __threadfence_system();
    out[blockIdx.x * blockDim.x + threadIdx.x] = *payload;
}

__global__ void tell_host(volatile int* flag, volatile int* payload) {
    *payload = 43;
    __threadfence_system();
    *flag = 1;
    while (*flag != 2) {}  // still running while the host reads: no synchronisation has made the payload visible
}

int main(int count, char** words) {
    int blocks = count > 1 ? std::atoi(words[1]) : 32, threads = count > 2 ? std::atoi(words[2]) : 64;
    int *host, *device, *out;
    CHECK(cudaHostAlloc(&host, 2 * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&device, host, 0));
    CHECK(cudaMalloc(&out, blocks * threads * sizeof(int)));
    auto* flag = reinterpret_cast<std::atomic<int>*>(host);
    auto* payload = reinterpret_cast<std::atomic<int>*>(host + 1);

    flag->store(0);
    payload->store(0);
    wait_for_host<<<blocks, threads>>>(device, device + 1, out);
    CHECK(cudaGetLastError());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    bool early = cudaStreamQuery(0) == cudaSuccess;
    payload->store(42);
    flag->store(1);
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    int* copy = static_cast<int*>(std::malloc(blocks * threads * sizeof(int)));
    CHECK(cudaMemcpy(copy, out, blocks * threads * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks * threads; ++i) wrong += copy[i] != 42;

    flag->store(0);
    tell_host<<<1, 1>>>(device, device + 1);
    CHECK(cudaGetLastError());
    while (flag->load() != 1) {}
    int seen = payload->load();
    flag->store(2);
    CHECK(cudaDeviceSynchronize());

    bool good = !early && wrong == 0 && seen == 43;
    std::printf("flag blocks=%d threads=%d early=%d wrong=%d payload=%d %s\n", blocks, threads, early, wrong, seen, good ? "ok" : "WRONG");
    return good ? 0 : 1;
}
