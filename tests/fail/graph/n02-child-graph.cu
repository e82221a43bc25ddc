// n02: a kernel of another stream reads what a child graph writes.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
#include "../../graph.h"

__global__ void square(int* p) { p[threadIdx.x] *= p[threadIdx.x]; }

__global__ void use(const int* p, int* out) { out[threadIdx.x] = p[threadIdx.x]; }  //~ race/stream

int main() {
    int *p = zeros<int>(32), *out = zeros<int>(32);
    cudaStream_t first = stream_of_its_own(), second = stream_of_its_own();
    cudaGraph_t inner;
    CHECK(cudaGraphCreate(&inner, 0));
    kernel_node(inner, {kernel_node(inner, {}, square, 1, 32, p)}, square, 1, 32, p);
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t child;
    CHECK(cudaGraphAddChildGraphNode(&child, graph, nullptr, 0, inner));
    CHECK(cudaGraphLaunch(executable(graph), first));
    use<<<1, 32, 0, second>>>(p, out);
    return verdict(wrong(out, 32, [](int) { return 0; }));
}
