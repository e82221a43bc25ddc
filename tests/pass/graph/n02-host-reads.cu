// The twin of fail/graph/n02-host-reads.cu: it synchronised.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
//@gpu
#include "../../graph.h"

__global__ void fill(int* p) { p[threadIdx.x] = 7; }

int main() {
    int* p;
    CHECK(cudaMallocManaged(&p, 64 * sizeof(int)));
    cudaStream_t stream = stream_of_its_own();
    cudaGraph_t graph = captured(stream, [&] { fill<<<1, 64, 0, stream>>>(p); });
    CHECK(cudaGraphLaunch(executable(graph), stream));
    CHECK(cudaStreamSynchronize(stream));
    int sum = p[0] + p[63];
    CHECK(cudaDeviceSynchronize());
    return verdict(sum != 14);
}
