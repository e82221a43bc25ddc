// p01: the worked example: every row's sum starts at zero, the heavy row is a child, and the activation a tail.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void dot(const float* row, const float* x, int n, float* y) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += row[i] * x[i];
    atomicAdd(y, sum);
}

__global__ void activate(float* y, int rows) {
    if (threadIdx.x < rows) y[threadIdx.x] = fmaxf(y[threadIdx.x], 0);
}

__global__ void multiply(const float* matrix, const float* x, int n, float* y) {
    int row = threadIdx.x;
    y[row] = 0;
    if (row == 2) dot<<<1, 32, 0, cudaStreamFireAndForget>>>(matrix + row * n, x, n, y + row);
    else
        for (int i = 0; i < n; ++i) y[row] += matrix[row * n + i] * x[i];
    if (row == 0) activate<<<1, 32, 0, cudaStreamTailLaunch>>>(y, blockDim.x);
}

__global__ void fill(float* matrix, float* x, int n) {
    int i = threadIdx.x;
    x[i] = 1;
    for (int row = 0; row < 4; ++row) matrix[row * n + i] = row % 2 ? -1 : 1;
}

int main() {
    float *matrix = zeros<float>(4 * 128), *x = zeros<float>(128), *y = zeros<float>(4);
    fill<<<1, 128>>>(matrix, x, 128);
    multiply<<<1, 4>>>(matrix, x, 128, y);
    return verdict(wrong(y, 4, [](int row) { return row % 2 ? 0 : 128; }));
}
