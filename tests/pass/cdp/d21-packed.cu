// The twin of fail/cdp/d21-packed.cu: the double stands at its alignment.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

#include <cstring>

__device__ double answer;

__global__ void child(char tag, double value) { answer = value + tag; }

__global__ void parent() {
    char* buffer = static_cast<char*>(cudaGetParameterBuffer(64, 16));
    if (!buffer) return;
    char tag = 2;
    double value = 2.5;
    std::memcpy(buffer, &tag, sizeof tag);
    std::memcpy(buffer + 8, &value, sizeof value);
    cudaLaunchDevice(reinterpret_cast<void*>(child), buffer, dim3(1), dim3(1), 0, 0);
}

int main() {
    parent<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    double got;
    CHECK(cudaMemcpyFromSymbol(&got, answer, sizeof got));
    return verdict(got != 4.5);
}
