// d22: the first dynamic parallelism: a kernel waits for its child. No device of compute capability 9.0 loads such a module.
//
// build: -arch=sm_80 -DCUDA_FORCE_CDP1_IF_SUPPORTED -rdc=true -lineinfo -lcudadevrt
//@load-error
#include "../../case.h"

__device__ int value, answer;

__global__ void child() { value = 20; }

__global__ void parent() {
    child<<<1, 1>>>();
    cudaDeviceSynchronize();  //~ cdp1/synchronize
    answer = value + 22;
}

int main() {
    parent<<<1, 1>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    int got;
    CHECK(cudaMemcpyFromSymbol(&got, answer, sizeof got));
    return verdict(got != 42);
}
