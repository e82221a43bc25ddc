// l13: in a chain of six programmatic edges the fifth kernel skips its wait.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
#include "../../graph.h"

constexpr int DEPTH = 6;

__global__ void layer(const int* x, int* y, int waits) {
    trigger();
    if (waits) wait();
    y[threadIdx.x] = x[(threadIdx.x + 1) % 96] + 1;  //~ race/pdl
}

int main() {
    int* x[DEPTH + 1];
    for (int i = 0; i <= DEPTH; ++i) x[i] = zeros<int>(96);
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t before = kernel_node(graph, {}, layer, 1, 96, x[0], x[1], 1);
    for (int i = 1; i < DEPTH; ++i) {
        cudaGraphNode_t node = kernel_node(graph, {}, layer, 1, 96, x[i], x[i + 1], i != 4);
        programmatic(graph, before, node);
        before = node;
    }
    CHECK(cudaGraphLaunch(executable(graph), stream_of_its_own()));
    return verdict(wrong(x[DEPTH], 96, [](int) { return DEPTH; }));
}
