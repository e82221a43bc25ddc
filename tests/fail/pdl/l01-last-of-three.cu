// l01: of three kernels only the last one has no wait; it is found in a function that it calls.
//
// build: -std=c++17 -arch=sm_90 -lineinfo
#include "../../pdl.h"

struct Pair {
    double value;
    long long index;
};

__global__ void first(Pair* p) {
    trigger();
    p[threadIdx.x] = {0.5 * threadIdx.x, threadIdx.x};
}

__global__ void second(Pair* p) {
    trigger();
    wait();
    p[threadIdx.x].value += 1;
}

__device__ __noinline__ double load(const Pair* p) {
    return p->value;
}

__global__ void third(const Pair* p, double* out) { out[threadIdx.x] = load(p + threadIdx.x); }  //~ race/pdl pdl/no-wait

int main() {
    Pair* p = zeros<Pair>(96);
    double* out = zeros<double>(96);
    cudaStream_t stream = stream_of_its_own();
    first<<<1, 96, 0, stream>>>(p);
    early(second, 1, 96, stream, p);
    early(third, 1, 96, stream, p, out);
    return verdict(wrong(out, 96, [](int i) { return 0.5 * i + 1; }));
}
