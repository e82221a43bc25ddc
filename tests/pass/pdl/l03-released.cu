// The twin of fail/pdl/l03-released.cu: all writes come behind the wait.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void sum(const int* p, int* out, const int* scratch) {
    trigger();
    out[threadIdx.x] = p[threadIdx.x] + p[(threadIdx.x + 1) % 64] + scratch[threadIdx.x];
}

__global__ void refill(int* p, const int* sums, int* scratch) {
    wait();
    p[threadIdx.x] = 7;
    scratch[threadIdx.x] = 1;
    p[threadIdx.x] += sums[threadIdx.x];
}

int main() {
    int *p = zeros<int>(64), *out = zeros<int>(64), *scratch;
    cudaStream_t stream = stream_of_its_own();
    CHECK(cudaMallocAsync(&scratch, 64 * sizeof(int), stream));
    CHECK(cudaMemsetAsync(scratch, 0, 64 * sizeof(int), stream));
    sum<<<1, 64, 0, stream>>>(p, out, scratch);
    CHECK(cudaFreeAsync(scratch, stream));
    CHECK(cudaMallocAsync(&scratch, 64 * sizeof(int), stream));
    early(refill, 1, 64, stream, p, out, scratch);
    CHECK(cudaFreeAsync(scratch, stream));
    return verdict(wrong(p, 64, [](int) { return 7; }));
}
