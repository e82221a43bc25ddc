// n01: the second stream was forked before the producer was captured.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
#include "../../graph.h"

__global__ void produce(float* p) { p[threadIdx.x] = 4; }

__global__ void consume(const float* p, float* out) {
    out[threadIdx.x] = 2 * p[threadIdx.x];  //~ race/stream
}

int main() {
    float *p = zeros<float>(64), *out = zeros<float>(64);
    cudaStream_t first = stream_of_its_own(), second = stream_of_its_own();
    cudaGraph_t graph = captured(first, [&] {
        join(first, second);
        produce<<<1, 64, 0, first>>>(p);
        consume<<<1, 64, 0, second>>>(p, out);
        join(second, first);
    });
    cudaGraphExec_t exec = executable(graph);
    CHECK(cudaGraphLaunch(exec, first));
    CHECK(cudaGraphLaunch(exec, second));
    return verdict(wrong(out, 64, [](int) { return 8; }));
}
