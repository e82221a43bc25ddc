// The twin of fail/graph/n01-unordered.cu: an edge orders them.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
//@gpu
#include "../../graph.h"

__global__ void produce(int* p) { p[threadIdx.x] = threadIdx.x; }

__global__ void consume(const int* p, int* out) { out[threadIdx.x] = p[threadIdx.x] + 1; }

int main() {
    int *p = zeros<int>(32), *out = zeros<int>(32);
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first = kernel_node(graph, {}, produce, 1, 32, p);
    kernel_node(graph, {first}, consume, 1, 32, p, out);
    CHECK(cudaGraphLaunch(executable(graph), nullptr));
    return verdict(wrong(out, 32, [](int i) { return i + 1; }));
}
