// The twin of fail/host/h01-managed.cu: k01, the CPU waits for the stream.
//
// build: -arch=sm_90 -lineinfo -g
//@gpu
#include "../../case.h"

__global__ void square(long long* p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = 1ll * i * i;
}

static long long last(const long long* p, int n) {
    return p[n - 1];
}

static long long ask(const long long* p, int n) { return n > 0 ? last(p, n) : 0; }

int main() {
    long long* p;
    CHECK(cudaMallocManaged(&p, 100 * sizeof(long long)));
    for (int i = 0; i < 100; ++i) p[i] = -1;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    square<<<4, 25, 0, stream>>>(p);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    long long found = ask(p, 100);
    CHECK(cudaDeviceSynchronize());
    return verdict(found != 99 * 99);
}
