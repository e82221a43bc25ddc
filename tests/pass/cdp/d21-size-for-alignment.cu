// The twin of fail/cdp/d21-size-for-alignment.cu: the offset comes from the alignment.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

#include <cstring>

struct Triple {
    int a, b, c;
};

__device__ int answer;

__global__ void child(int first, Triple rest) { answer = 1000 * first + 100 * rest.a + 10 * rest.b + rest.c; }

__device__ unsigned next(unsigned offset, unsigned unit) { return (offset + unit - 1) / unit * unit; }

__global__ void parent() {
    char* buffer = static_cast<char*>(cudaGetParameterBufferV2(reinterpret_cast<void*>(child), dim3(1), dim3(1), 0));
    if (!buffer) return;
    int first = 1;
    Triple rest = {2, 3, 4};
    std::memcpy(buffer, &first, sizeof first);
    std::memcpy(buffer + next(sizeof first, alignof(Triple)), &rest, sizeof rest);
    cudaLaunchDeviceV2(buffer, cudaStreamTailLaunch);
}

int main() {
    parent<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    int got;
    CHECK(cudaMemcpyFromSymbol(&got, answer, sizeof got));
    return verdict(got != 1234);
}
