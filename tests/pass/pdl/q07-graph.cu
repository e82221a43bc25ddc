// q07: a chain of 100 layers in a captured graph with programmatic edges, launched twice, equal to the serial run.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
//@gpu
#include "../../graph.h"

constexpr int LAYERS = 100, WIDTH = 192;

__global__ void layer(const unsigned* weights, const unsigned* x, unsigned* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned weight = weights[i];
    trigger();
    wait();
    y[i] = weight * x[(i + 7) % WIDTH] + x[i] / 3 + 1;
}

int main() {
    unsigned *weights = zeros<unsigned>(WIDTH), *x = zeros<unsigned>(WIDTH), *y = zeros<unsigned>(WIDTH);
    unsigned host[WIDTH], from[WIDTH], to[WIDTH];
    for (int i = 0; i < WIDTH; ++i) {
        host[i] = 2654435761u * i;
        from[i] = 0;
    }
    CHECK(cudaMemcpy(weights, host, sizeof host, cudaMemcpyHostToDevice));
    cudaStream_t stream = stream_of_its_own();
    CHECK(cudaDeviceSynchronize());
    cudaGraph_t graph = captured(stream, [&] {
        for (int round = 0; round < LAYERS; round += 2) {
            early(layer, WIDTH / 64, 64, stream, weights, x, y);
            early(layer, WIDTH / 64, 64, stream, weights, y, x);
        }
    });
    cudaGraphExec_t exec = executable(graph);
    for (int launch = 0; launch < 2; ++launch) {
        CHECK(cudaGraphLaunch(exec, stream));
        for (int round = 0; round < LAYERS; ++round) {
            for (int i = 0; i < WIDTH; ++i) to[i] = host[i] * from[(i + 7) % WIDTH] + from[i] / 3 + 1;
            for (int i = 0; i < WIDTH; ++i) from[i] = to[i];
        }
    }
    return verdict(wrong(x, WIDTH, [&](int i) { return from[i]; }));
}
