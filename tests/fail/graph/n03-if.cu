// n03: what the body of a conditional node reads is written by a node without an edge to it.
//
// build: -std=c++17 -arch=sm_90 -rdc=true -lineinfo -g -lcudadevrt
#include "../../graph.h"

__global__ void set(cudaGraphConditionalHandle handle, unsigned value) { cudaGraphSetConditional(handle, value); }

__global__ void produce(int* p) { p[threadIdx.x] = 6; }

__global__ void body(const int* p, int* out) { out[threadIdx.x] = p[threadIdx.x] + 1; }  //~ race/stream

int main() {
    int *p = zeros<int>(32), *out = zeros<int>(32);
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
    cudaGraphNode_t decide = kernel_node(graph, {}, set, 1, 1, handle, 1u), node;
    cudaGraphNode_t first = kernel_node(graph, {}, produce, 1, 32, p);
    kernel_node(conditional(graph, decide, handle, cudaGraphCondTypeIf, 1, &node)[0], {}, body, 1, 32, p, out);
    (void)first;
    CHECK(cudaGraphLaunch(executable(graph), stream_of_its_own()));
    return verdict(wrong(out, 32, [](int) { return 7; }));
}
