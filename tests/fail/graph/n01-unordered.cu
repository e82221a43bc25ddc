// n01: two nodes that no path orders, one writes what the other reads.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
#include "../../graph.h"

__global__ void produce(int* p) { p[threadIdx.x] = threadIdx.x; }  //~ race/stream

__global__ void consume(const int* p, int* out) { out[threadIdx.x] = p[threadIdx.x] + 1; }

int main() {
    int *p = zeros<int>(32), *out = zeros<int>(32);
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first = kernel_node(graph, {}, produce, 1, 32, p);
    cudaGraphNode_t second = kernel_node(graph, {}, consume, 1, 32, p, out);
    cudaGraphNode_t end;
    cudaGraphNode_t both[] = {first, second};
    CHECK(cudaGraphAddEmptyNode(&end, graph, both, 2));
    CHECK(cudaGraphLaunch(executable(graph), nullptr));
    return verdict(wrong(out, 32, [](int i) { return i + 1; }));
}
