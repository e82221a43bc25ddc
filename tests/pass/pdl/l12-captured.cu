// The twin of fail/pdl/l12-captured.cu: the memset comes first.
//
// build: -std=c++17 -arch=sm_90 -lineinfo -g
//@gpu
#include "../../graph.h"

__global__ void produce(int* p) {
    trigger();
    p[threadIdx.x] = 3;
}

__global__ void consume(const int* p, int* out) {
    wait();
    out[threadIdx.x] += p[threadIdx.x];
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64);
    cudaStream_t stream = stream_of_its_own();
    cudaGraph_t graph = captured(stream, [&] {
        CHECK(cudaMemsetAsync(out, 0, 64 * sizeof(int), stream));
        produce<<<1, 64, 0, stream>>>(p);
        early(consume, 1, 64, stream, p, out);
    });
    CHECK(cudaGraphLaunch(executable(graph), stream));
    return verdict(wrong(out, 64, [](int) { return 3; }));
}
