// q04: weights that a copy of the stream brought before the first kernel of the chain, and read-only input.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void layer(const int* __restrict__ weights, const int* x, int* y) {
    int weight = weights[threadIdx.x];
    wait();
    y[threadIdx.x] = weight + x[threadIdx.x];
    trigger();
}

int main() {
    int *weights = zeros<int>(64), *x = zeros<int>(64), *y = zeros<int>(64);
    int* pinned;
    CHECK(cudaMallocHost(&pinned, 64 * sizeof(int)));
    for (int i = 0; i < 64; ++i) pinned[i] = i;
    cudaStream_t stream = stream_of_its_own();
    CHECK(cudaMemcpyAsync(weights, pinned, 64 * sizeof(int), cudaMemcpyHostToDevice, stream));
    layer<<<1, 64, 0, stream>>>(weights, x, y);
    early(layer, 1, 64, stream, weights, y, x);
    early(layer, 1, 64, stream, weights, x, y);
    return verdict(wrong(y, 64, [](int i) { return 3 * i; }));
}
