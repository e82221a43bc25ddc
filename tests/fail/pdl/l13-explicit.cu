// l13: of two edges into a node one is programmatic, and its kernel never waits.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
#include "../../graph.h"

__global__ void produce(double* p) {
    p[blockIdx.x * 32 + threadIdx.x] = 0.5;
    trigger();
}

__global__ void other(double* q) { q[threadIdx.x] = 2; }

__global__ void consume(const double* p, const double* q, double* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = p[i] * q[threadIdx.x];  //~ race/pdl pdl/no-wait
}

int main() {
    double *p = zeros<double>(128), *q = zeros<double>(32), *out = zeros<double>(128);
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first = kernel_node(graph, {}, produce, 4, 32, p);
    cudaGraphNode_t second = kernel_node(graph, {}, other, 1, 32, q);
    cudaGraphNode_t last = kernel_node(graph, {second}, consume, 4, 32, p, q, out);
    programmatic(graph, first, last);
    cudaGraphExec_t exec = executable(graph);
    for (int round = 0; round < 3; ++round) CHECK(cudaGraphLaunch(exec, cudaStreamPerThread));
    return verdict(wrong(out, 128, [](int) { return 1; }));
}
