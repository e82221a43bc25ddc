// g01: every block of a long grid counts in bytes of shared memory that the block before it left half written.
//
// build: -arch=sm_90 -lineinfo
#include "../../case.h"

const int THREADS = 64, BINS = 16;

__global__ void histogram(const unsigned char* values, int* counts) {
    __shared__ unsigned char cells[BINS][THREADS];
    unsigned* words = reinterpret_cast<unsigned*>(cells);
    for (int i = threadIdx.x; i < BINS * THREADS / 4; i += THREADS) words[i] = 0;
    __syncthreads();
    // A column for each thread: neighbours share words, not bytes.
    for (int i = 0; i < 8; ++i) ++cells[values[(blockIdx.x * 8 + i) * THREADS + threadIdx.x]][threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= BINS) return;
    int sum = 0;
    for (int i = 0; i < THREADS; ++i) sum += cells[threadIdx.x][i];
    atomicAdd(&counts[threadIdx.x], sum);
}

__global__ void fill(unsigned char* values) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = i * 7 % BINS;
}

int main() {
    const int blocks = 300, length = blocks * 8 * THREADS;
    unsigned char* values = zeros<unsigned char>(length);
    int* counts = zeros<int>(BINS);
    fill<<<length / 128, 128>>>(values);
    for (int round = 0; round < 2; ++round) histogram<<<blocks, THREADS>>>(values, counts);
    return verdict(wrong(counts, BINS, [](int) { return 2 * length / BINS; }));
}
