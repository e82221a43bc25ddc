// The twin of fail/cdp/d10-peek.cu: the launch fits, and who looks acts on what it sees.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void child(int* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

__global__ void parent(int* p) {
    child<<<2, 750>>>(p);
    if (cudaPeekAtLastError() != cudaSuccess) p[0] = -1;
}

int main() {
    int* p = zeros<int>(1500);
    parent<<<1, 1>>>(p);
    return verdict(wrong(p, 1500, [](int) { return 1; }));
}
