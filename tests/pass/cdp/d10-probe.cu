// The twin of fail/cdp/d10-probe.cu: it starts with what every device has.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void child(int* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

__global__ void parent(int* p, int n, int widest) {
    for (int threads = widest; threads >= 32; threads /= 2) {
        child<<<n / threads, threads, 0, cudaStreamFireAndForget>>>(p);
        if (cudaGetLastError() == cudaSuccess) return;
    }
}

int main() {
    int* p = zeros<int>(4096);
    parent<<<1, 1>>>(p, 4096, 1024);
    return verdict(wrong(p, 4096, [](int) { return 1; }));
}
