// l10: the attribute on kernels without a wait that share a counter, by atomics only.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void count(unsigned long long* counter) {
    trigger();
    atomicAdd(counter, 1);
}

int main() {
    unsigned long long* counter = zeros<unsigned long long>(1);
    cudaStream_t stream = stream_of_its_own();
    for (int i = 0; i < 5; ++i) early(count, 3, 64, stream, counter);
    return verdict(wrong(counter, 1, [](int) { return 5 * 3 * 64; }));
}
