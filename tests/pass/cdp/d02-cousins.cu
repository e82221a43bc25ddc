// The twin of fail/cdp/d02-cousins.cu: the second branch is a tail, which starts when the first one is complete with all it
// launched.
//
// build: -arch=sm_90 -rdc=true -lineinfo -lcudadevrt
//@gpu
#include "../../case.h"

__global__ void leaf(long long* cells, int who) {
    cells[threadIdx.x] = who * 1000000000000ll + threadIdx.x;
}

__global__ void branch(long long* cells, int who) {
    if (threadIdx.x == 2) leaf<<<1, 24>>>(cells, who);
}

__global__ void root(long long* cells) {
    branch<<<1, 3, 0, cudaStreamFireAndForget>>>(cells, 1);
    branch<<<1, 3, 0, cudaStreamTailLaunch>>>(cells, 2);
}

int main() {
    long long* cells = zeros<long long>(24);
    root<<<1, 1>>>(cells);
    return verdict(wrong(cells, 24, [](int i) { return 2000000000000ll + i; }));
}
