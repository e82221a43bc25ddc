// h05: cudaFreeAsync in one stream while a kernel of another one still reads.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__global__ void set(int* p) { p[threadIdx.x] = 3; }

__global__ void use(const int* p, int* out) {
    out[threadIdx.x] = p[threadIdx.x];  //~ memory/freed
}

int main() {
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    int *p, *out = zeros<int>(32);
    cudaEvent_t ready, used;
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
    CHECK(cudaMallocAsync(&p, 32 * sizeof(int), first));
    set<<<1, 32, 0, first>>>(p);
    CHECK(cudaEventRecord(ready, first));
    CHECK(cudaStreamWaitEvent(second, ready, 0));
    use<<<1, 32, 0, second>>>(p, out);
    CHECK(cudaEventRecord(used, second));
    CHECK(cudaFreeAsync(p, first));
    return verdict(wrong(out, 32, [](int) { return 3; }));
}
