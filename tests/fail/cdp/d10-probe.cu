// d10: a library that finds out by trying how many threads a block may have. It reads the error, so nothing is lost: only the
// warning remains.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void child(int* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

__global__ void parent(int* p, int n, int widest) {
    for (int threads = widest; threads >= 32; threads /= 2) {
        child<<<n / threads, threads, 0, cudaStreamFireAndForget>>>(p);  //~ launch/config
        if (cudaGetLastError() == cudaSuccess) return;
    }
}

int main() {
    int* p = zeros<int>(4096);
    parent<<<1, 1>>>(p, 4096, 4096);
    return verdict(wrong(p, 4096, [](int) { return 1; }));
}
