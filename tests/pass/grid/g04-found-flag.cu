// g04: many threads of many blocks store the same value to one flag: a note, nothing more.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

__global__ void search(const int* p, int key, int* found) {
    if (p[blockIdx.x * blockDim.x + threadIdx.x] == key)
        *found = 1;  //~ advice/same-value
}

__global__ void fill(int* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x % 4; }

int main() {
    int *p = zeros<int>(256), *found = zeros<int>(2);
    fill<<<4, 64>>>(p);
    search<<<4, 64>>>(p, 3, found);
    search<<<4, 64>>>(p, 9, found + 1);
    return verdict(wrong(found, 2, [](int i) { return i == 0; }));
}
