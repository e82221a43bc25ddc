// h06: structs with padding are copied word by word: bytes that were never set, in loads of which other bytes were.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

struct Sample {
    char kind;
    short value;
    long long stamp;
    char last;
};

__global__ void make(Sample* p) {
    p[threadIdx.x].kind = 'k';
    p[threadIdx.x].value = threadIdx.x;
    p[threadIdx.x].stamp = -1;
    p[threadIdx.x].last = 1;
}

__global__ void copy(const long long* from, long long* to) { to[threadIdx.x] = from[threadIdx.x]; }

__global__ void read(const Sample* p, int* out) { out[threadIdx.x] = p[threadIdx.x].value + p[threadIdx.x].last; }

int main() {
    Sample *p, *q;
    int* out = zeros<int>(20);
    CHECK(cudaMalloc(&p, 20 * sizeof(Sample)));
    CHECK(cudaMalloc(&q, 20 * sizeof(Sample)));
    make<<<1, 20>>>(p);
    copy<<<1, 20 * sizeof(Sample) / 8>>>(reinterpret_cast<long long*>(p), reinterpret_cast<long long*>(q));
    read<<<1, 20>>>(q, out);
    return verdict(wrong(out, 20, [](int i) { return i + 1; }));
}
