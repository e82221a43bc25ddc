// The twin of fail/grid/g01-virtual.cu: a barrier between the two steps.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

struct Step {
    __device__ virtual void take(int* tile, int thread) const = 0;
};

struct Fill : Step {
    __device__ void take(int* tile, int thread) const override {
        tile[thread] = 3 * thread;
    }
};

struct Shift : Step {
    __device__ void take(int* tile, int thread) const override {
        int next = tile[(thread + 1) % 128];
        __syncthreads();
        tile[thread] = next + 1;
    }
};

__global__ void run(int* out, int which) {
    __shared__ int tile[128];
    Fill fill;
    Shift shift;
    const Step* steps[] = {&fill, &shift};
    steps[which]->take(tile, threadIdx.x);
    __syncthreads();
    steps[1 - which]->take(tile, threadIdx.x);
    out[threadIdx.x] = tile[threadIdx.x];
}

int main() {
    int* out = zeros<int>(128);
    run<<<1, 128>>>(out, 0);
    return verdict(wrong(out, 128, [](int i) { return 3 * ((i + 1) % 128) + 1; }));
}
