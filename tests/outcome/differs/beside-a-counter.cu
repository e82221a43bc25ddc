// Counters of integers are the same in every schedule and stay clean, here and in shared memory; the mark beside them is not.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

__global__ void count(const int* in, int* bins, volatile int* owner) {
    __shared__ int local[4];
    if (threadIdx.x < 4) local[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&local[in[blockIdx.x * blockDim.x + threadIdx.x] & 3], 1);
    __syncthreads();
    if (threadIdx.x < 4) {
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
        owner[threadIdx.x] = blockIdx.x * local[threadIdx.x];  //~ advice/outcome
    }
}

// Reads the counters behind all that count.
__global__ void double_them(const int* bins, int* twice) { twice[threadIdx.x] = 2 * bins[threadIdx.x]; }

int main() {
    int *in = zeros<int>(256), *bins = zeros<int>(4), *twice = zeros<int>(4), *owner = zeros<int>(4);
    count<<<4, 64>>>(in, bins, owner);
    double_them<<<1, 4>>>(bins, twice);
    return verdict(wrong(twice, 4, [](int i) { return i == 0 ? 512 : 0; }));
}
