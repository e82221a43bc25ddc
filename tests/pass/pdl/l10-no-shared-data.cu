// l10: the attribute on a kernel without a wait that shares nothing with the one in front: only lint has a word to say.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
//@lint pdl/no-wait
#include "../../pdl.h"

__global__ void fill(int* p, int value) {
    trigger();
    p[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main() {
    int *a = zeros<int>(128), *b = zeros<int>(128);
    cudaStream_t stream = stream_of_its_own();
    fill<<<2, 64, 0, stream>>>(a, 1);
    early(fill, 2, 64, stream, b, 2);
    return verdict(wrong(a, 128, [](int) { return 1; }) + wrong(b, 128, [](int) { return 2; }));
}
