// The twin of fail/pdl/l08-barrier.cu: it is launched as usual.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
//@gpu
#include "../../pdl.h"

__global__ void produce(double2* p) {
    p[blockIdx.x * blockDim.x + threadIdx.x] = make_double2(threadIdx.x, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        trigger();
    }
}

__global__ void consume(const double2* p, double* out) {
    double2 pair = p[threadIdx.x];
    out[threadIdx.x] = pair.x + pair.y;
}

int main() {
    double2* p = zeros<double2>(128);
    double* out = zeros<double>(128);
    cudaStream_t stream = stream_of_its_own();
    produce<<<2, 64, 0, stream>>>(p);
    consume<<<1, 128, 0, stream>>>(p, out);
    return verdict(wrong(out, 128, [](int i) { return i % 64 + 1; }));
}
