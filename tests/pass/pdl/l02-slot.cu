// The twin of fail/pdl/l02-slot.cu: the counter is read behind the wait.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void append(unsigned long long* slots, unsigned long long* count, unsigned long long tag) {
    wait();
    unsigned long long first = *count;
    trigger();
    __syncthreads();
    slots[first + threadIdx.x] = tag + threadIdx.x;
    if (threadIdx.x == 0) *count = first + blockDim.x;

}

int main() {
    unsigned long long *slots = zeros<unsigned long long>(128), *count = zeros<unsigned long long>(1);
    cudaStream_t stream = stream_of_its_own();
    append<<<1, 32, 0, stream>>>(slots, count, 100);
    for (int round = 1; round < 4; ++round) early(append, 1, 32, stream, slots, count, 100 * (round + 1));
    return verdict(wrong(slots, 128, [](int i) { return 100 * (i / 32 + 1) + i % 32; }));
}
