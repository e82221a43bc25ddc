// What the tests of outcomes share: a test with its statement and what is allowed, marks that grids leave, waits with a bound.
//
// All that grids tell each other and the host is strong (atomics, volatile, fences): outcomes are matters of scheduling, not of weak memory.
#pragma once
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <string>
#include <vector>

#define MUST(call)                                                                                                \
    do {                                                                                                          \
        cudaError_t error = (call);                                                                               \
        if (error != cudaSuccess) {                                                                               \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error));                   \
            std::exit(1);                                                                                         \
        }                                                                                                         \
    } while (0)

// `allowed` lists outcomes, separated by " | ", or says "order" and which marks there are: "order 1<2 3" means 1, 2 and 3, each
// once, 1 before 2. All other outcomes are forbidden by the statement (a section of the launch model).
struct Test {
    const char* statement;
    const char* name;
    std::string (*once)();
    const char* allowed;
};

// ---- what device code leaves ----

struct State {
    unsigned next;
    int order[64];
    volatile int flag[8];
    volatile int value[8];
    volatile int code[8];
};

__device__ State state;
// How long a grid waits for what may never come, and for what must: in nanoseconds.
__device__ unsigned long long limit, patience;

__device__ unsigned long long now() {
    unsigned long long time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time)::"memory");
    return time;
}

__device__ void pause(unsigned nanoseconds) {
    for (unsigned long long start = now(); now() - start < nanoseconds;) {}
}

__device__ bool wait_for(const volatile int* flag, unsigned long long most) {
    for (unsigned long long start = now(); *flag == 0;)
        if (now() - start > most) return false;
    __threadfence_system();
    return true;
}

__device__ void leave(int mark) {
    __threadfence();
    *(volatile int*)&state.order[atomicAdd(&state.next, 1) % 64] = mark;
    __threadfence();
}

__device__ void publish(volatile int* flag) {
    __threadfence_system();
    *flag = 1;
}

// Leaves a mark after a while.
__global__ void mark(int name, unsigned nanoseconds) {
    pause(nanoseconds);
    leave(name);
}

// ---- what the host has ----

// Memory that both sides reach.
struct Shared {
    volatile int gate, saw, value, flag;
};

static Shared* shared;
// The number of the repetition; never 0.
static int turn;
// Streams that do not join the legacy one, and one that does.
static cudaStream_t first, second, blocking;
static cudaEvent_t event;

// A while that differs from one repetition to the next, so that hardware shows more than one order.
static unsigned some(unsigned which) { return (turn * 7u + which * 5u + turn * which) % 5 * 3000; }

// Waits for the host's gate, notes whether it opened, leaves a mark. `may_wait`: the host may wait for the grid before it opens the gate.
__global__ void gated(Shared* with, int name, bool may_wait) {
    with->saw = wait_for(&with->gate, may_wait ? limit : patience) ? 1 : 2;
    leave(name);
}

static void pause_host(unsigned nanoseconds) {
    auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::nanoseconds(nanoseconds)) {}
}

static void open_gate() { shared->gate = 1; }

static State fetch() {
    State copy;
    MUST(cudaMemcpyFromSymbol(&copy, state, sizeof copy));
    return copy;
}

// The marks in the order in which they were left, once everything is over.
static std::string marks() {
    MUST(cudaDeviceSynchronize());
    State copy = fetch();
    std::string text;
    for (unsigned i = 0; i < copy.next && i < 64; ++i) text += (i ? " " : "") + std::to_string(copy.order[i]);
    return text;
}

static std::string old_or_new(int value) { return value == turn ? "new" : value == 0 ? "old" : "neither"; }

static std::string value_of(int which) {
    MUST(cudaDeviceSynchronize());
    return old_or_new(fetch().value[which]);
}

static int code_of(int which) {
    MUST(cudaDeviceSynchronize());
    return fetch().code[which];
}

// ---- launches ----

template <typename... Parameters, typename... Arguments>
void launch_with(cudaLaunchConfig_t config, std::vector<cudaLaunchAttribute> attributes, void (*kernel)(Parameters...),
                 Arguments... arguments) {
    config.attrs = attributes.data();
    config.numAttrs = unsigned(attributes.size());
    MUST(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

static cudaLaunchConfig_t shape(unsigned blocks, unsigned threads, cudaStream_t stream, size_t bytes = 0) {
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.stream = stream;
    config.dynamicSmemBytes = bytes;
    return config;
}

static cudaLaunchAttribute serialisation() {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    return attribute;
}
