// What a device says of itself and what it holds, in one line; and one kernel, so that it must run code.
//
// build: profile -gencode arch=compute_75,code=compute_75 -std=c++17
// build: profile-90 -arch=sm_90 -std=c++17
#include <cstdio>

#include "check.h"

__global__ void answer(int* out) { *out = 42; }

int main() {
    cudaDeviceProp of;
    CHECK(cudaGetDeviceProperties(&of, 0));
    int small = 0, large = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&small, answer, 128, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&large, answer, 1024, 0));
    size_t free, total;
    CHECK(cudaMemGetInfo(&free, &total));
    int* out;
    CHECK(cudaMalloc(&out, sizeof(int)));
    answer<<<1, 1>>>(out);
    int got = 0;
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    void* much = nullptr;
    int refused = int(cudaMalloc(&much, total + (1 << 20)));
    std::printf("name=%s capability=%d.%d sms=%d threads=%d shared=%zu optin=%zu l2=%d clusters=%d of-128=%d of-1024=%d total=%zu refused=%d got=%d\n",
                of.name, of.major, of.minor, of.multiProcessorCount, of.maxThreadsPerMultiProcessor, of.sharedMemPerMultiprocessor,
                of.sharedMemPerBlockOptin, of.l2CacheSize, of.clusterLaunch, small, large, total, refused, got);
    return got != 42;
}
