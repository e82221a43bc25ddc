// l03: memory is released and allocated in stream order between the two kernels, which starts no order between them.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

__global__ void sum(const int* p, int* out, const int* scratch) {
    trigger();
    out[threadIdx.x] = p[threadIdx.x] + p[(threadIdx.x + 1) % 64] + scratch[threadIdx.x];  //~ race/pdl
}

__global__ void refill(int* p, const int* sums, int* scratch) {
    p[threadIdx.x] = 7;  //~ race/pdl
    scratch[threadIdx.x] = 1;
    wait();
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
