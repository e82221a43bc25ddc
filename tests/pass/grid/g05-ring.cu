// The twin of fail/grid/g05-ring.cu: the consuming warp lets a slot go when it has read it.
//
// build: -arch=sm_90 -std=c++17 -lineinfo
#include <cstdint>

#include "../../case.h"

constexpr int SLOTS = 2, ROUNDS = 9;

__device__ unsigned place(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

__device__ void init(uint64_t* barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(barrier)), "r"(count) : "memory");
}

__device__ void arrive(uint64_t* barrier) {
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared::cta.b64 state, [%0];\n}" ::"r"(place(barrier)) : "memory");
}

__device__ void wait(uint64_t* barrier, unsigned parity) {
    asm volatile(
        "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
            place(barrier)),
        "r"(parity)
        : "memory");
}

__global__ void pipeline(const double* in, double* out) {
    __shared__ double slots[SLOTS][32];
    __shared__ uint64_t full[SLOTS], empty[SLOTS];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < SLOTS) {
        init(&full[threadIdx.x], 32);
        init(&empty[threadIdx.x], 32);
    }
    __syncthreads();
    double sum = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        int slot = round % SLOTS, turn = round / SLOTS;
        if (threadIdx.x < 32) {
            if (turn > 0) wait(&empty[slot], (turn - 1) & 1);
            slots[slot][lane] = in[round * 32 + lane];
            arrive(&full[slot]);
        } else {
            wait(&full[slot], turn & 1);
            sum += slots[slot][31 - lane];
            arrive(&empty[slot]);
        }
    }
    if (threadIdx.x >= 32) out[lane] = sum;
}

__global__ void fill(double* in) { in[threadIdx.x] = threadIdx.x; }

int main() {
    double *in = zeros<double>(ROUNDS * 32), *out = zeros<double>(32);
    fill<<<1, ROUNDS * 32>>>(in);
    pipeline<<<1, 64>>>(in, out);
    return verdict(wrong(out, 32, [](int i) {
        double sum = 0;
        for (int round = 0; round < ROUNDS; ++round) sum += round * 32 + 31 - i;
        return sum;
    }));
}
