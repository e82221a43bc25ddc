// n04: a node reads what a graph writes that a node in front of it launched to fire and forget.
//
// build: -std=c++17 -arch=sm_90 -rdc=true -lineinfo -g -lcudadevrt
#include "../../graph.h"

__device__ cudaGraphExec_t other;
__device__ int failed;

__global__ void launch() {
    failed = cudaGraphLaunch(other, cudaStreamGraphFireAndForget);
}

__global__ void fill(int* p) { p[threadIdx.x] = 5; }  //~ race/stream

__global__ void look(const int* p, int* out) { out[threadIdx.x] = p[threadIdx.x]; }

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64), code;
    cudaStream_t stream = stream_of_its_own();
    cudaGraph_t graph, launched;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&launched, 0));
    kernel_node(launched, {}, fill, 1, 64, p);
    kernel_node(graph, {kernel_node(graph, {}, launch, 1, 1)}, look, 1, 64, p, out);
    cudaGraphExec_t exec = executable(launched, cudaGraphInstantiateFlagDeviceLaunch);
    CHECK(cudaGraphUpload(exec, stream));
    CHECK(cudaMemcpyToSymbol(other, &exec, sizeof exec));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphLaunch(executable(graph, cudaGraphInstantiateFlagDeviceLaunch), stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpyFromSymbol(&code, failed, sizeof code));
    return verdict(code + wrong(p, 64, [](int) { return 5; }));
}
