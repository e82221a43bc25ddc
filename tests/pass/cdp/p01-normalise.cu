// p01: the same shape in double precision with two children per row in a named stream and a tail of a child: sum, then scale,
// then the root's tail counts.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void total(const double* row, int n, double* sum) {
    double mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) mine += row[i];
    atomicAdd(sum, mine);
}

__global__ void scale(double* row, const double* sum) { row[threadIdx.x] /= *sum; }

__global__ void row_of(double* row, int n, double* sum) {
    *sum = 0;
    total<<<1, 8, 0, cudaStreamFireAndForget>>>(row, n, sum);
    scale<<<1, n, 0, cudaStreamTailLaunch>>>(row, sum);
}

__global__ void count(const double* p, int n, int* out) {
    for (int i = 0; i < n; ++i) *out += p[i] == 1.0 / 16;
}

__global__ void root(double* p, double* sums, int* out) {
    for (int i = 0; i < 16; ++i) p[16 * threadIdx.x + i] = threadIdx.x + 1;
    row_of<<<1, 1, 0, cudaStreamFireAndForget>>>(p + 16 * threadIdx.x, 16, sums + threadIdx.x);
    if (threadIdx.x == 0) count<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 16 * blockDim.x, out);
}

int main() {
    double *p = zeros<double>(96), *sums = zeros<double>(6);
    int* out = zeros<int>(1);
    root<<<1, 6>>>(p, sums, out);
    return verdict(wrong(out, 1, [](int) { return 96; }));
}
