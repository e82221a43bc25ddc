// The twin of fail/graph/n06-freed.cu: it is freed last; each launch allocates it again.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
//@gpu
#include "../../graph.h"

__global__ void fill(int* p) { p[threadIdx.x] = 9; }

__global__ void look(const int* p, int* out) {
    out[threadIdx.x] = p[threadIdx.x];
}

int main() {
    int* out = zeros<int>(32);
    cudaStream_t stream = stream_of_its_own();
    cudaGraph_t graph = captured(stream, [&] {
        int* p;
        CHECK(cudaMallocAsync(&p, 32 * sizeof(int), stream));
        fill<<<1, 32, 0, stream>>>(p);
        look<<<1, 32, 0, stream>>>(p, out);
        CHECK(cudaFreeAsync(p, stream));
    });
    cudaGraphExec_t exec = executable(graph);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    return verdict(wrong(out, 32, [](int) { return 9; }));
}
