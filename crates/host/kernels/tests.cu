// Kernels of this crate's tests and documentation.
#include "hotfire.cuh"

extern "C" __global__ void scale(float* values, float factor) { values[blockIdx.x * blockDim.x + threadIdx.x] *= factor; }

// ---- device launches, with a ledger

extern "C" __global__ void mark(int* cell) { *cell = 1; }

extern "C" __global__ void fan(int* cells, HotfireLedger* ledger) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    mark<<<1, 1, 0, cudaStreamFireAndForget>>>(cells + i);
    hotfire_launched(ledger);
}

// As many tails at once as the pool must hold.
extern "C" __global__ void tails(int* cells, int count, HotfireLedger* ledger) {
    for (int i = 0; i < count; ++i) {
        mark<<<1, 1, 0, cudaStreamTailLaunch>>>(cells + i);
        hotfire_launched(ledger);
    }
}

// ---- a chain: out = in + 1, with and without a wait

extern "C" __global__ void layer(const float* in, float* out, int count) {
    cudaTriggerProgrammaticLaunchCompletion();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaGridDependencySynchronize();
    if (i < count) out[i] = in[i] + 1.f;
}

extern "C" __global__ void layer_without_wait(const float* in, float* out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i] + 1.f;
}

// ---- iteration by tail launches: counts down

extern "C" __global__ void count_down(int* left, int* turns, HotfireLedger* ledger) {
    ++*turns;
    if (--*left > 0) {
        count_down<<<1, 1, 0, cudaStreamTailLaunch>>>(left, turns, ledger);
        hotfire_launched(ledger);
    }
}
