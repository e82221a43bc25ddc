// n05: a graph that launches itself again from its kernel, 300 times; each run is behind the one before.
//
// build: -std=c++17 -arch=sm_90 -rdc=true -lineinfo -g -lcudadevrt
//@gpu
#include "../../graph.h"

__device__ int rounds;

__global__ void step(int* p, int count) {
    p[threadIdx.x] += 1;
    if (threadIdx.x == 0 && ++rounds < count) cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}

int main() {
    int* p = zeros<int>(32);
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    kernel_node(graph, {}, step, 1, 32, p, 300);
    cudaGraphExec_t exec = executable(graph, cudaGraphInstantiateFlagDeviceLaunch);
    CHECK(cudaGraphLaunch(exec, stream_of_its_own()));
    return verdict(wrong(p, 32, [](int) { return 300; }));
}
