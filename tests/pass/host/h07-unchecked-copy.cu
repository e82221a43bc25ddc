// The twin of fail/host/h07-unchecked-copy.cu: the copy is as long as the table, and nothing fails.
//
// build: -arch=sm_90 -lineinfo -g
//@gpu
#include "../../case.h"

__device__ int table[4];

__global__ void sum(int* out) { *out = table[0] + table[3]; }

int main() {
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, *out = zeros<int>(1), count = 4;
    cudaMemcpyToSymbol(table, values, count * sizeof(int));
    sum<<<1, 1>>>(out);
    return verdict(wrong(out, 1, [](int) { return 5; }));
}
