// The second unit of units.cu.
#include "../check.h"

__device__ int counter = 100;
__constant__ int factors[4];

__device__ int callback(int value);

static __device__ int local(int value) { return value * 100; }

__device__ int times_factor(int value, int index) { return value * factors[index] + callback(value) + local(value); }

int* table_counter() {
    void* address;
    CHECK(cudaGetSymbolAddress(&address, counter));
    return static_cast<int*>(address);
}
