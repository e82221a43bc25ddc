// k04: a scan with decoupled look-back: each block waits for its predecessors only, with status and value in one word of
// eight bytes or behind a fence.
//
// build: -arch=sm_90 -lineinfo
//@gpu
#include "../../case.h"

constexpr int BLOCKS = 200, THREADS = 64;

struct Part {
    int aggregate, inclusive;
    int status;  // 0 nothing, 1 aggregate, 2 inclusive
};

__global__ void scan(const int* p, Part* parts, int* out) {
    __shared__ int cell[THREADS], before;
    int i = threadIdx.x, block = blockIdx.x;
    int own = p[block * THREADS + i];
    cell[i] = own;
    for (int step = 1; step < THREADS; step *= 2) {
        __syncthreads();
        int left = i >= step ? cell[i - step] : 0;
        __syncthreads();
        cell[i] += left;
    }
    if (i == THREADS - 1) {
        volatile int* status = &parts[block].status;
        parts[block].aggregate = cell[i];
        __threadfence();
        *status = 1;
        int sum = 0;
        for (int k = block - 1; k >= 0; --k) {
            volatile int* theirs = &parts[k].status;
            int seen;
            while ((seen = *theirs) == 0) {}
            __threadfence();
            if (seen == 2) {
                sum += parts[k].inclusive;
                break;
            }
            sum += parts[k].aggregate;
        }
        parts[block].inclusive = sum + cell[i];
        __threadfence();
        *status = 2;
        before = sum;
    }
    __syncthreads();
    out[block * THREADS + i] = before + cell[i];
}

__global__ void number(int* p) { p[blockIdx.x * THREADS + threadIdx.x] = threadIdx.x % 5; }

int main() {
    int *p = zeros<int>(BLOCKS * THREADS), *out = zeros<int>(BLOCKS * THREADS);
    Part* parts = zeros<Part>(BLOCKS);
    number<<<BLOCKS, THREADS>>>(p);
    scan<<<BLOCKS, THREADS>>>(p, parts, out);
    int sum = 0;
    return verdict(wrong(out, BLOCKS * THREADS, [&](int i) { return sum += i % THREADS % 5; }));
}
