// g03: threads that have left the kernel count as arrived at every barrier, also in the middle of a warp.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void rows(const int* p, int n, int* out) {
    __shared__ int cell[64];
    int i = threadIdx.x;
    if (i >= n) return;
    cell[i] = p[i] + i;
    __syncthreads();
    out[i] = cell[n - 1 - i];
    __syncthreads();
    if (i % 2) return;
    cell[i] = out[i];
    __syncthreads();
    out[i] += cell[n - 2 - i - n % 2];
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    rows<<<1, 64>>>(p, 50, out);
    return verdict(wrong(out, 50, [](int i) { return i % 2 ? 49 - i : (49 - i) + (49 - (48 - i)); }));
}
