// n01: a memset node and a kernel node without an edge.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
#include "../../graph.h"

__global__ void add(unsigned* p) { p[threadIdx.x] += 5; }  //~ race/stream

int main() {
    unsigned* p = zeros<unsigned>(48);
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams set = {};
    set.dst = p;
    set.value = 0x01010101;
    set.elementSize = 4;
    set.width = 48;
    set.height = 1;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &set));
    kernel_node(graph, {}, add, 1, 48, p);
    CHECK(cudaGraphLaunch(executable(graph), stream_of_its_own()));
    wrong(p, 48, [](int) { return 0; });
    return 0;
}
