// The twin of fail/graph/n01-fork.cu: it is forked behind the producer; launches of one executable graph are ordered.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
//@gpu
#include "../../graph.h"

__global__ void produce(float* p) { p[threadIdx.x] = 4; }

__global__ void consume(const float* p, float* out) {
    out[threadIdx.x] = 2 * p[threadIdx.x];
}

int main() {
    float *p = zeros<float>(64), *out = zeros<float>(64);
    cudaStream_t first = stream_of_its_own(), second = stream_of_its_own();
    cudaGraph_t graph = captured(first, [&] {
        produce<<<1, 64, 0, first>>>(p);
        join(first, second);
        consume<<<1, 64, 0, second>>>(p, out);
        join(second, first);
    });
    cudaGraphExec_t exec = executable(graph);
    CHECK(cudaGraphLaunch(exec, first));
    CHECK(cudaGraphLaunch(exec, second));
    return verdict(wrong(out, 64, [](int) { return 8; }));
}
