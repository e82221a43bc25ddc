// Device code in two units (the other is units/table.cu): functions, variables and constants of one are used by the other,
// and both have a static function of the same name.
//
// build: units -arch=sm_90 -rdc=true -std=c++17 programs/units/table.cu
#include "check.h"

extern __device__ int counter;
extern __constant__ int factors[4];
__device__ int times_factor(int value, int index);
int* table_counter();

static __device__ int local(int value) { return value + 1; }

__device__ int callback(int value) { return local(value) * 2; }

__global__ void use(int* out) {
    int i = threadIdx.x;
    out[i] = times_factor(i, i % 4) + factors[i % 4];
    atomicAdd(&counter, 1);
}

int main() {
    const int host[4] = {3, 5, 7, 11};
    CHECK(cudaMemcpyToSymbol(factors, host, sizeof host));
    int *out, values[64], count, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof values));
    use<<<1, 64>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&count, table_counter(), sizeof count, cudaMemcpyDeviceToHost));
    // times_factor calls back: callback(value) = (value + 1) * 2, and the other unit's `local` multiplies by 100.
    for (int i = 0; i < 64; ++i) wrong += values[i] != i * host[i % 4] + (i + 1) * 2 + i * 100 + host[i % 4];
    bool good = wrong == 0 && count == 100 + 64;
    std::printf("units wrong=%d count=%d %s\n", wrong, count, good ? "ok" : "WRONG");
    return good ? 0 : 1;
}
