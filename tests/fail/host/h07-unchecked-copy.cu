// h07: a copy to a symbol that is too long fails, nobody looks, and an empty launch after it fails as well.
//
// build: -arch=sm_90 -lineinfo -g
#include "../../case.h"

__device__ int table[4];

__global__ void sum(int* out) { *out = table[0] + table[3]; }

int main() {
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, *out = zeros<int>(1), count = 8;
    cudaMemcpyToSymbol(table, values, count * sizeof(int));  //~ api/unchecked
    sum<<<0, 1>>>(out);
    sum<<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
