// Memory is allocated while other memory is on its way back: where it lies is the allocator's business.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

struct Row {
    int length;
    int* values;
};

__global__ void keep(Row* rows, int* values) { rows[threadIdx.x] = {int(threadIdx.x), values + threadIdx.x}; }
__global__ void fill(int* p, int value) { p[threadIdx.x] = value; }

// The heap of the device comes to be when it is first used.
__global__ void use_heap() { free(malloc(64)); }

int main() {
    Row* rows = zeros<Row>(32);
    int* other = zeros<int>(32);
    cudaStream_t a, b, c;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking));
    int *first, *second, *third;
    CHECK(cudaMallocAsync(&first, 1 << 20, a));
    fill<<<1, 32, 0, a>>>(first, 1);
    CHECK(cudaFreeAsync(first, a));
    use_heap<<<1, 1, 0, b>>>();
    // Meanwhile the others may have got to the free and to the heap, or not.
    fill<<<1, 32, 0, c>>>(other, 3);
    CHECK(cudaStreamSynchronize(c));
    CHECK(cudaMallocAsync(&second, 1 << 20, a));
    fill<<<1, 32, 0, a>>>(second, 2);
    CHECK(cudaMalloc(&third, 1 << 20));
    keep<<<1, 16, 0, a>>>(rows, second);
    keep<<<1, 16, 0, a>>>(rows + 16, third);
    CHECK(cudaDeviceSynchronize());
    return verdict(wrong(second, 32, [](int) { return 2; }));
}
