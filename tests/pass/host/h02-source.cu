// The twin of fail/host/h02-source.cu: k01, the CPU waits for the copy.
//
// build: -arch=sm_90 -g
//@gpu
#include "../../case.h"

int main() {
    double *host, *p = zeros<double>(500);
    CHECK(cudaMallocHost(&host, 500 * sizeof(double)));
    for (int i = 0; i < 500; ++i) host[i] = 0.5 * i;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMemcpyAsync(p, host, 500 * sizeof(double), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 500; ++i)
        host[i] = -1;
    return verdict(wrong(p, 500, [](int i) { return 0.5 * i; }));
}
