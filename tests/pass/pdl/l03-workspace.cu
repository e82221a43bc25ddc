// The twin of fail/pdl/l03-workspace.cu: each launch has a workspace of its own.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void step(float* workspace, float* x, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    workspace[i] = factor;
    wait();
    trigger();
    x[i] = workspace[i] * (x[i] + 1);
}

int main() {
    float *workspace = zeros<float>(512), *x = zeros<float>(256);
    cudaStream_t stream = stream_of_its_own();
    step<<<2, 128, 0, stream>>>(workspace, x, 2);
    early(step, 2, 128, stream, workspace + 256, x, 3);
    return verdict(wrong(x, 256, [](int) { return 9; }));
}
