// l10: as l10-no-shared-data, but the kernel waits: lint has nothing to say either.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
//@lint none
#include "../../pdl.h"

__global__ void fill(int* p, int value) {
    trigger();
    wait();
    p[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main() {
    int *a = zeros<int>(128), *b = zeros<int>(128);
    cudaStream_t stream = stream_of_its_own();
    fill<<<2, 64, 0, stream>>>(a, 1);
    early(fill, 2, 64, stream, b, 2);
    return verdict(wrong(a, 128, [](int) { return 1; }) + wrong(b, 128, [](int) { return 2; }));
}
