// d21: the offset of a struct computed from its size, as the guide's text has it, instead of its alignment: the kernel reads
// it at 4, it was stored at 12. Through version 2 of the interface.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
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
    std::memcpy(buffer + next(sizeof first, sizeof rest), &rest, sizeof rest);
    cudaLaunchDeviceV2(buffer, cudaStreamTailLaunch);
    //~? memory/params
}

int main() {
    parent<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    int got;
    CHECK(cudaMemcpyFromSymbol(&got, answer, sizeof got));
    return verdict(got != 1234);
}
