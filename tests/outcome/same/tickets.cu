// Places are handed out by an atomic: who stands where depends on the schedule, and is meant to.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void queue(int* next, int* places) {
    int place = atomicAdd(next, 1);
    places[place] = blockIdx.x * blockDim.x + threadIdx.x;
}

// What is computed from it is as it may be.
__global__ void shift(const int* places, int* out) { out[threadIdx.x] = __shfl_xor_sync(~0u, places[threadIdx.x], 1); }

int main() {
    int *next = zeros<int>(1), *places = zeros<int>(256), *out = zeros<int>(32);
    queue<<<8, 32>>>(next, places);
    shift<<<1, 32>>>(places, out);
    return verdict(wrong(next, 1, [](int) { return 256; }));
}
