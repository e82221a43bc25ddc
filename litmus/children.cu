// How long a device launch takes: until a child, a tail and the grid behind them begin. The figures calibrate the timeline of `hotfire trace`.
// Each line: into what, and nanoseconds (medians of 51 runs, by the global timer, which goes in steps of 32 ns).
//
// build: children -arch=sm_90 -rdc=true -lcudadevrt
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

__device__ unsigned long long times[8];

__device__ unsigned long long now() {
    unsigned long long time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time)::"memory");
    return time;
}

__global__ void child(int at) { times[at] = now(); }

__global__ void empty() {}

// 0: NULL stream, 1: fire and forget, 2: tail, 3: two in the NULL stream, 4: the time of one call (tail stream, empty kernels).
__global__ void parent(int kind) {
    times[0] = now();
    if (kind == 0) child<<<1, 1>>>(1);
    if (kind == 1) child<<<1, 1, 0, cudaStreamFireAndForget>>>(1);
    if (kind == 2) child<<<1, 1, 0, cudaStreamTailLaunch>>>(1);
    if (kind == 3) {
        child<<<1, 1>>>(4);
        child<<<1, 1>>>(1);
    }
    if (kind == 4)
        for (int i = 0; i < 64; i++) empty<<<1, 1, 0, cudaStreamFireAndForget>>>();
    times[2] = now();
}

__global__ void behind() { times[3] = now(); }

int main() {
    const char *names[] = {"null", "fire-and-forget", "tail", "second", "64-calls"};
    for (int kind = 0; kind < 5; kind++) {
        std::vector<long long> start, call, after, pair;
        for (int run = 0; run < 51; run++) {
            unsigned long long t[8] = {};
            parent<<<1, 1>>>(kind);
            behind<<<1, 1>>>();
            cudaError_t error = cudaDeviceSynchronize();
            if (error != cudaSuccess) return printf("%s: %s\n", names[kind], cudaGetErrorName(error)), 1;
            cudaMemcpyFromSymbol(t, times, sizeof t);
            call.push_back(t[2] - t[0]);
            start.push_back(kind == 2 ? t[1] - t[2] : t[1] - t[0]);
            after.push_back(t[3] - std::max(t[1], t[2]));
            pair.push_back(t[1] - t[4]);
        }
        auto median = [](std::vector<long long> &values) { std::sort(values.begin(), values.end()); return values[values.size() / 2]; };
        printf("%s: call %lld", names[kind], median(call));
        if (kind < 4) printf(", %s %lld, next grid behind the last end %lld", kind == 2 ? "tail begins after the parent's end" : "child begins after the call", median(start), median(after));
        if (kind == 3) printf(", second begins after the first began %lld", median(pair));
        printf("\n");
    }
    return 0;
}
