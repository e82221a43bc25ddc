// Sections 3.5 and 3.6: who holds slots of the launch pool (32 here), who learns of a launch that was dropped or refused.
#pragma once
#include "tree.h"

constexpr int SLOTS = 32, ASKED = 40;

__device__ unsigned ran;

__global__ void waits_for_flag() {
    wait_for(&state.flag[0], patience);
    atomicAdd(&ran, 1);
}

__global__ void counts() { atomicAdd(&ran, 1); }

// code 0: launches that were taken, 1: dropped, 2: the last code, 3: the code of a second look.
__device__ void note_launch() {
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) {
        state.code[0] = state.code[0] + 1;
    } else {
        state.code[1] = state.code[1] + 1;
        state.code[2] = error;
        state.code[3] = cudaGetLastError();
    }
}

// 0: all may run at once, 1: queued behind each other, 2: tails.
__global__ void fills_pool(int kind) {
    cudaStream_t stream = kind == 0 ? cudaStreamFireAndForget : kind == 1 ? nullptr : cudaStreamTailLaunch;
    for (int i = 0; i < ASKED; ++i) {
        waits_for_flag<<<1, 1, 0, stream>>>();
        note_launch();
    }
    publish(&state.flag[0]);
}

__global__ void short_ones() {
    for (int i = 0; i < ASKED; ++i) {
        counts<<<1, 1, 0, cudaStreamFireAndForget>>>();
        note_launch();
    }
}

// Each link is gone before the one after the next is launched.
__global__ void chain_of_tails(int left) {
    atomicAdd(&ran, 1);
    if (left > 0) {
        chain_of_tails<<<1, 1, 0, cudaStreamTailLaunch>>>(left - 1);
        note_launch();
    }
}

// A launch holds its slot until the children of its grid are done.
__global__ void chain_of_children(int left) {
    atomicAdd(&ran, 1);
    if (left > 0) {
        chain_of_children<<<1, 1, 0, cudaStreamFireAndForget>>>(left - 1);
        note_launch();
    }
}

static std::string pool(bool counted) {
    static const unsigned zero = 0;
    MUST(cudaDeviceSynchronize());
    unsigned happened;
    MUST(cudaMemcpyFromSymbol(&happened, ran, sizeof happened));
    MUST(cudaMemcpyToSymbol(ran, &zero, sizeof zero));
    State copy = fetch();
    int taken = copy.code[0], dropped = copy.code[1];
    std::string how = dropped == 0 ? "" : " with " + std::to_string(int(copy.code[2])) + ", then " + std::to_string(int(copy.code[3]));
    if (counted) return std::to_string(taken) + " taken, " + std::to_string(happened) + " ran, " + std::to_string(dropped) + " dropped" + how;
    return (dropped ? "some" : "none") + std::string(" dropped") + how + (int(happened) == taken ? "" : ", not all that were taken ran");
}

template <int KIND>
std::string pool_full() {
    fills_pool<<<1, 1, 0, first>>>(KIND);
    return pool(true);
}

static std::string pool_of_short() {
    short_ones<<<1, 1, 0, first>>>();
    return pool(false);
}

static std::string pool_and_tails() {
    chain_of_tails<<<1, 1, 0, first>>>(2 * SLOTS);
    return pool(true);
}

static std::string pool_and_nesting() {
    chain_of_children<<<1, 1, 0, first>>>(ASKED);
    return pool(true);
}

// ---- 3.6 ----

// The thread that launched learns of it, once; the other does not; a good launch behind that runs.
__global__ void refused() {
    if (threadIdx.x == 0) {
        mark<<<1, 2048, 0, cudaStreamFireAndForget>>>(1, 0);
        state.code[0] = cudaPeekAtLastError();
    }
    __syncthreads();
    if (threadIdx.x == 32) state.code[1] = cudaPeekAtLastError();
    __syncthreads();
    if (threadIdx.x == 0) {
        state.code[2] = cudaGetLastError();
        state.code[3] = cudaGetLastError();
        mark<<<1, 1, 0, cudaStreamFireAndForget>>>(2, 0);
        state.code[4] = cudaGetLastError();
    }
}

static std::string errors_of_a_thread() {
    refused<<<1, 64, 0, first>>>();
    std::string text = codes(0, 4);
    return text + ", " + marks();
}

static std::vector<Test> pool_tests() {
    const char* full = "32 taken, 32 ran, 8 dropped with 69, then 0";
    return {
        {"3.5.1", "pool-running", pool_full<0>, full},
        {"3.5.1", "pool-queued", pool_full<1>, full},
        {"3.5.1", "pool-tails", pool_full<2>, full},
        {"3.5.1", "pool-short", pool_of_short, "none dropped | some dropped with 69, then 0"},
        {"3.5.1", "pool-chain-of-tails", pool_and_tails, "64 taken, 65 ran, 0 dropped"},
        {"3.1.3", "pool-nesting", pool_and_nesting, "32 taken, 33 ran, 1 dropped with 69, then 0"},
        {"3.6", "errors-of-a-thread", errors_of_a_thread, "9 0 9 0 0, 2"},
    };
}
