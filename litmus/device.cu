// What else the documents leave open about device code: cudaStreamPerThread, slots of the launch pool while copies wait, parameters above
// 4 KB, event slots, who of a cluster triggers; and how many launches a second many threads make. One line an answer.
// Usage: device [pool]
//
// build: device -arch=sm_90 -rdc=true -std=c++17 -lcudadevrt
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define MUST(call)                                                                                  \
    do {                                                                                            \
        cudaError_t error = (call);                                                                 \
        if (error != cudaSuccess) {                                                                 \
            std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error));             \
            std::exit(1);                                                                           \
        }                                                                                           \
    } while (0)

__device__ unsigned order_next, order[8];
__device__ int codes[4], early, ended;
__device__ unsigned long long begins, ends;

__device__ unsigned long long now() {
    unsigned long long time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time)::"memory");
    return time;
}

__global__ void empty() {}
__global__ void note(unsigned name) { order[atomicAdd(&order_next, 1)] = name; }

// ---- cudaStreamPerThread in device code ----

__global__ void per_thread() {
    note<<<1, 1, 0, cudaStreamPerThread>>>(1);
    codes[0] = cudaGetLastError();
    note<<<1, 1, 0, cudaStreamPerThread>>>(2);
    codes[1] = cudaGetLastError();
}

static void streams() {
    per_thread<<<1, 1>>>();
    cudaError_t error = cudaDeviceSynchronize();
    int code[4];
    unsigned seen[8], count;
    MUST(cudaMemcpyFromSymbol(code, codes, sizeof code));
    MUST(cudaMemcpyFromSymbol(seen, order, sizeof seen));
    MUST(cudaMemcpyFromSymbol(&count, order_next, sizeof count));
    std::printf("per-thread stream: codes %d %d, ran %u: %u %u, then %d\n", code[0], code[1], count, seen[0], seen[1],
                int(error));
}

// ---- slots while copies wait ----

__global__ void copies_then_launches(char* to, const char* from, size_t size, int copies, int* launched) {
    int error = 0;
    for (int i = 0; i < copies && !error; ++i) error = cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, 0);
    codes[0] = error;
    int count = 0;
    for (; count < 100; ++count) {
        empty<<<1, 1, 0, cudaStreamTailLaunch>>>();
        if (cudaGetLastError() != cudaSuccess) break;
    }
    *launched = count;
}

static void slots() {
    const size_t size = 1 << 20;
    char *to, *from;
    int* launched;
    MUST(cudaMalloc(&to, size));
    MUST(cudaMalloc(&from, size));
    MUST(cudaMallocManaged(&launched, sizeof(int)));
    for (int copies : {0, 8, 31, 40}) {
        copies_then_launches<<<1, 1>>>(to, from, size, copies, launched);
        MUST(cudaDeviceSynchronize());
        int code[4];
        MUST(cudaMemcpyFromSymbol(code, codes, sizeof code));
        std::printf("slots: %d copies (code %d), then %d tails of 32\n", copies, code[0], *launched);
    }
}

// ---- parameters above 4 KB ----

struct Large {
    int words[2000];
};

__global__ void sum(Large large, int* out) {
    int total = 0;
    for (int word : large.words) total += word;
    *out = total;
}

__global__ void passes_large(int* out) {
    Large large;
    for (int i = 0; i < 2000; ++i) large.words[i] = i;
    sum<<<1, 1>>>(large, out);
    codes[0] = cudaGetLastError();
}

static void parameters() {
    int* out;
    MUST(cudaMallocManaged(&out, sizeof(int)));
    *out = -1;
    MUST(cudaDeviceSynchronize());
    passes_large<<<1, 1>>>(out);
    cudaError_t error = cudaDeviceSynchronize();
    int code[4];
    MUST(cudaMemcpyFromSymbol(code, codes, sizeof code));
    std::printf("parameters of 8,008 bytes: code %d, sum %d (1999000), then %d\n", code[0], *out, int(error));
}

// ---- event slots ----

__global__ void creates(int* created) {
    int count = 0;
    for (cudaEvent_t event; count < 200; ++count) {
        codes[0] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        if (codes[0]) break;
    }
    *created = count;
}

static void events() {
    int* created;
    MUST(cudaMallocManaged(&created, sizeof(int)));
    for (int i = 0; i < 2; ++i) {
        creates<<<1, 1>>>(created);
        cudaError_t error = cudaDeviceSynchronize();
        int code[4];
        MUST(cudaMemcpyFromSymbol(code, codes, sizeof code));
        std::printf("events: %d created, then code %d; pool of 32; %d\n", *created, code[0], int(error));
    }
}

// ---- a trigger by one block of a cluster ----

__global__ void __cluster_dims__(2, 1, 1) first(int both) {
    if (both || blockIdx.x == 0) cudaTriggerProgrammaticLaunchCompletion();
    for (unsigned long long start = now(); now() - start < 2000000;) {}
    // The block that may not trigger is the last to end, whichever begins first.
    while (blockIdx.x == 1 && *(volatile int*)&ended == 0) {}
    if (threadIdx.x == 0) atomicAdd(&ended, 1);
}

__global__ void second() {
    early = *(volatile int*)&ended < 2;
    cudaGridDependencySynchronize();
}

__global__ void reset() { early = ended = 0; }

static void cluster_trigger(int both) {
    int times = 0;
    cudaStream_t stream;
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < 10; ++i) {
        reset<<<1, 1, 0, stream>>>();
        MUST(cudaStreamSynchronize(stream));
        first<<<2, 32, 0, stream>>>(both);
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(1);
        config.blockDim = dim3(1);
        config.stream = stream;
        config.attrs = &attribute;
        config.numAttrs = 1;
        MUST(cudaLaunchKernelEx(&config, second));
        MUST(cudaStreamSynchronize(stream));
        int seen;
        MUST(cudaMemcpyFromSymbol(&seen, early, sizeof seen));
        times += seen;
    }
    std::printf("cluster: %s trigger: second started early %d of 10\n", both ? "both blocks" : "one block", times);
}

// ---- launches a second ----

__global__ void many(int each, int* failed) {
    if (threadIdx.x == 0) atomicMin(&begins, now());
    for (int i = 0; i < each; ++i) {
        empty<<<1, 1, 0, cudaStreamFireAndForget>>>();
        if (cudaGetLastError() != cudaSuccess) atomicAdd(failed, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(&ends, now());
}

static void rate(int blocks, int threads, int each) {
    int* failed;
    MUST(cudaMallocManaged(&failed, sizeof(int)));
    *failed = 0;
    unsigned long long start = ~0ull, zero = 0;
    MUST(cudaMemcpyToSymbol(begins, &start, sizeof start));
    MUST(cudaMemcpyToSymbol(ends, &zero, sizeof zero));
    many<<<blocks, threads>>>(each, failed);
    MUST(cudaDeviceSynchronize());
    unsigned long long from, to;
    MUST(cudaMemcpyFromSymbol(&from, begins, sizeof from));
    MUST(cudaMemcpyFromSymbol(&to, ends, sizeof to));
    double launches = double(blocks) * threads * each;
    std::printf("rate: %d x %d threads: %.0f launches, %d failed, %.3f us each\n", blocks, threads, launches, *failed,
                (to - from) / launches / 1e3);
}

int main(int argc, char** argv) {
    streams();
    if (argc > 1) {
        MUST(cudaDeviceReset());
        MUST(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 32));
        slots();
        events();
        return 0;
    }
    parameters();
    cluster_trigger(0);
    cluster_trigger(1);
    MUST(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 200000));
    rate(1, 1, 1000);
    rate(1, 32, 100);
    rate(1, 1024, 10);
    rate(132, 32, 10);
    rate(132, 1024, 1);
}
