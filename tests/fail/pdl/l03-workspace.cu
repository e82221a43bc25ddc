// l03: both kernels use the same workspace, and the second one prepares it before its wait.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void step(float* workspace, float* x, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    workspace[i] = factor;  //~ race/pdl
    wait();
    trigger();
    x[i] = workspace[i] * (x[i] + 1);
}

int main() {
    float *workspace = zeros<float>(256), *x = zeros<float>(256);
    cudaStream_t stream = stream_of_its_own();
    step<<<2, 128, 0, stream>>>(workspace, x, 2);
    early(step, 2, 128, stream, workspace, x, 3);
    return verdict(wrong(x, 256, [](int) { return 9; }));
}
