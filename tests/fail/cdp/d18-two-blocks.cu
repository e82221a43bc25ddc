// d18: two blocks of 128 threads, each with a chain of its own in its NULL stream.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
#include "../../case.h"

__global__ void power(double* p, int n) {
    double x = 1;
    for (int i = 0; i < n; ++i) x *= 1.5;
    p[threadIdx.x] = x;
}

__global__ void parent(double* p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    power<<<1, 4>>>(p + 4 * i, 200);  //~ advice/null-stream
}

int main() {
    double* p = zeros<double>(4 * 256);
    parent<<<2, 128>>>(p);
    double x = 1;
    for (int i = 0; i < 200; ++i) x *= 1.5;
    return verdict(wrong(p, 4 * 256, [=](int) { return x; }));
}
