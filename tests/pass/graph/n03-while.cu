// The twin of fail/graph/n03-while.cu: it is behind the loop; rounds are ordered.
//
// build: -std=c++17 -arch=sm_90 -rdc=true -lineinfo -g -lcudadevrt
//@gpu
#include "../../graph.h"

__global__ void step(int* p, cudaGraphConditionalHandle handle) {
    p[threadIdx.x] += 2;
    __syncthreads();
    if (threadIdx.x == 0) cudaGraphSetConditional(handle, p[0] < 20);
}

__global__ void beside(int* p) { p[threadIdx.x + 32] += p[threadIdx.x]; }

int main() {
    int* p = zeros<int>(64);
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNode_t loop;
    kernel_node(conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 1, &loop)[0], {}, step, 1, 32, p, handle);
    kernel_node(graph, {loop}, beside, 1, 32, p);
    CHECK(cudaGraphLaunch(executable(graph), stream_of_its_own()));
    return verdict(wrong(p, 32, [](int) { return 20; }));
}
