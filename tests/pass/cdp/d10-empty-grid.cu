// The twin of fail/cdp/d10-empty-grid.cu: blocks with no work launch nothing.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void child(short* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += 1;
}

__global__ void parent(short* p, int n) {
    int first = blockIdx.x * 64, mine = min(max(n - first, 0), 64);
    if (mine > 0) child<<<(mine + 31) / 32, 32>>>(p + first, mine);

}

int main() {
    short* p = zeros<short>(256);
    parent<<<4, 1>>>(p, 100);
    return verdict(wrong(p, 256, [](int i) { return i < 100; }));
}
