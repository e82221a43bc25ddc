// n02: the host reads what a graph writes before it synchronised.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
#include "../../graph.h"

__global__ void fill(int* p) { p[threadIdx.x] = 7; }

int main() {
    int* p;
    CHECK(cudaMallocManaged(&p, 64 * sizeof(int)));
    cudaStream_t stream = stream_of_its_own();
    cudaGraph_t graph = captured(stream, [&] { fill<<<1, 64, 0, stream>>>(p); });
    CHECK(cudaGraphLaunch(executable(graph), stream));
    int sum = p[0] + p[63];  //~ race/host
    CHECK(cudaDeviceSynchronize());
    return sum == 0 ? 3 : 0;
}
