// The twin of fail/cdp/d22-synchronize.cu: what followed the wait is a tail launch, and the value that lived across it a
// parameter.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__device__ int value, answer;

__global__ void child() { value = 20; }

__global__ void after(int more) { answer = value + more; }

__global__ void parent() {
    child<<<1, 1>>>();
    after<<<1, 1, 0, cudaStreamTailLaunch>>>(22);
}

int main() {
    parent<<<1, 1>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    int got;
    CHECK(cudaMemcpyFromSymbol(&got, answer, sizeof got));
    return verdict(got != 42);
}
