// n06: memory of a graph is used behind the node that frees it.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
#include "../../graph.h"

__global__ void fill(int* p) { p[threadIdx.x] = 9; }

__global__ void look(const int* p, int* out) {
    out[threadIdx.x] = p[threadIdx.x];  //~ memory/freed
}

int main() {
    int* out = zeros<int>(32);
    cudaStream_t stream = stream_of_its_own();
    cudaGraph_t graph = captured(stream, [&] {
        int* p;
        CHECK(cudaMallocAsync(&p, 32 * sizeof(int), stream));
        fill<<<1, 32, 0, stream>>>(p);
        CHECK(cudaFreeAsync(p, stream));
        look<<<1, 32, 0, stream>>>(p, out);
    });
    cudaGraphExec_t exec = executable(graph);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaDeviceSynchronize());
    return 0;
}
