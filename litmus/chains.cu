// What a kernel of a chain costs: the same chain of dependent kernels in a stream, with programmatic launches, as a graph, and as a graph with
// programmatic edges, for kernels of several lengths and sizes. The figures calibrate the timeline of `hotfire trace` and test it.
//
// Each line of a chain: form, blocks, rounds (of 32 dependent multiply-adds a thread) or kilobytes that the kernel moves, and microseconds a kernel
// (median of several runs). `chains FORM BLOCKS ROUNDS KILOBYTES COUNT` runs one chain once, and prints only its checksum.
//
// forms: serial; late: programmatic, no trigger, waits at once; early: triggers and waits at once; half: triggers at once, does half of the work, waits,
// does the rest. graph and graph-… are the same, captured.
//
// build: chains -arch=sm_90
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <vector>

#define CHECK(call)                                                                                      \
    do {                                                                                                 \
        cudaError_t error = (call);                                                                      \
        if (error != cudaSuccess) {                                                                      \
            printf("%s: %s\n", #call, cudaGetErrorName(error));                                          \
            exit(1);                                                                                     \
        }                                                                                                \
    } while (0)

constexpr int THREADS = 128;

__device__ float work(float value, int rounds) {
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < 32; step++) value = fmaf(value, 0.999f, 0.001f);
    }
    return value;
}

// TRIGGER: 0 none, 1 at the start. BEFORE: whether half of the work comes before the wait.
template <bool WAITS, bool TRIGGERS, bool HALF> __global__ void rounds(float *data, int before, int after) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (TRIGGERS) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    float value = HALF ? work(float(threadIdx.x), before) : 0.0f;
    if (WAITS) asm volatile("griddepcontrol.wait;" ::: "memory");
    value = work(data[index] + value, after);
    data[index] = value;
}

template <bool WAITS, bool TRIGGERS> __global__ void bytes(const float4 *from, float4 *to, int count) {
    if (TRIGGERS) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    if (WAITS) asm volatile("griddepcontrol.wait;" ::: "memory");
    for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < count; index += gridDim.x * blockDim.x) {
        float4 value = from[index];
        value.x += 1.0f;
        to[index] = value;
    }
}

// Cycles and nanoseconds of the work alone.
__global__ void measure(float *data, int count, long long *took) {
    unsigned long long begin, end;
    float value = data[threadIdx.x];
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    long long start = clock64();
    value = work(value, count);
    data[threadIdx.x] = value;
    took[0] = clock64() - start;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(end));
    took[1] = end - begin;
}

struct Chain {
    std::string form;
    int blocks, rounds, kilobytes;
};

float *data_, *other_;
cudaStream_t stream_;

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), int blocks, bool programmatic, Arguments... arguments) {
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = THREADS;
    config.stream = stream_;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &attribute;
    config.numAttrs = programmatic ? 1 : 0;
    CHECK(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

void kernel(const Chain &chain, int step) {
    std::string form = chain.form.rfind("graph-", 0) == 0 ? chain.form.substr(6) : chain.form;
    if (form == "graph") form = "serial";
    bool programmatic = form != "serial";
    if (chain.kilobytes > 0) {
        const float4 *from = reinterpret_cast<float4 *>(step % 2 ? other_ : data_);
        float4 *to = reinterpret_cast<float4 *>(step % 2 ? data_ : other_);
        int count = chain.kilobytes * 1024 / 32;
        if (form == "early") launch(bytes<true, true>, chain.blocks, programmatic, from, to, count);
        else if (form == "late") launch(bytes<true, false>, chain.blocks, programmatic, from, to, count);
        else launch(bytes<false, false>, chain.blocks, programmatic, from, to, count);
        return;
    }
    int half = chain.rounds / 2;
    if (form == "half") launch(rounds<true, true, true>, chain.blocks, programmatic, data_, half, chain.rounds - half);
    else if (form == "early") launch(rounds<true, true, false>, chain.blocks, programmatic, data_, 0, chain.rounds);
    else if (form == "late") launch(rounds<true, false, false>, chain.blocks, programmatic, data_, 0, chain.rounds);
    else launch(rounds<false, false, false>, chain.blocks, programmatic, data_, 0, chain.rounds);
}

// Microseconds a kernel.
double once(const Chain &chain, int count, cudaGraphExec_t graph) {
    CHECK(cudaStreamSynchronize(stream_));
    auto begin = std::chrono::steady_clock::now();
    if (graph) CHECK(cudaGraphLaunch(graph, stream_));
    else
        for (int step = 0; step < count; step++) kernel(chain, step);
    CHECK(cudaStreamSynchronize(stream_));
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / count;
}

double run(const Chain &chain, int count, int repetitions) {
    cudaGraphExec_t graph = nullptr;
    if (chain.form.rfind("graph", 0) == 0) {
        cudaGraph_t captured;
        CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        for (int step = 0; step < count; step++) kernel(chain, step);
        CHECK(cudaStreamEndCapture(stream_, &captured));
        CHECK(cudaGraphInstantiate(&graph, captured, 0));
        CHECK(cudaGraphDestroy(captured));
    }
    std::vector<double> times;
    for (int repetition = 0; repetition < repetitions; repetition++) times.push_back(once(chain, count, graph));
    if (graph) CHECK(cudaGraphExecDestroy(graph));
    // The first one warms up.
    if (times.size() > 1) times.erase(times.begin());
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

int main(int argc, char **argv) {
    const size_t size = 128 << 20;
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    bool one = argc == 6;
    size_t used = one ? std::max(size_t(atoi(argv[4])) * 512, size_t(atoi(argv[2])) * THREADS * 4) : size / 2;
    CHECK(cudaMalloc(&data_, used));
    CHECK(cudaMalloc(&other_, used));
    CHECK(cudaMemsetAsync(data_, 0, used, stream_));
    CHECK(cudaMemsetAsync(other_, 0, used, stream_));
    CHECK(cudaStreamSynchronize(stream_));
    if (one) {
        Chain chain{argv[1], atoi(argv[2]), atoi(argv[3]), atoi(argv[4])};
        run(chain, atoi(argv[5]), 1);
        std::vector<float> result(used / 4);
        CHECK(cudaMemcpy(result.data(), data_, used, cudaMemcpyDeviceToHost));
        double sum = 0;
        for (float value : result) sum += value;
        printf("sum %.9g\n", sum);
        return 0;
    }
    long long *took, host[2];
    CHECK(cudaMalloc(&took, 16));
    for (int count : {0, 15, 150, 1500}) {
        for (int again = 0; again < 3; again++) {
            measure<<<1, THREADS, 0, stream_>>>(data_, count, took);
            CHECK(cudaStreamSynchronize(stream_));
        }
        CHECK(cudaMemcpy(host, took, 16, cudaMemcpyDeviceToHost));
        printf("work rounds=%d cycles=%lld ns=%lld\n", count, host[0], host[1]);
    }
    const char *forms[] = {"serial", "late", "early", "half", "graph", "graph-late", "graph-early", "graph-half"};
    for (int blocks : {1, 132, 1000}) {
        // About 0, 1, 3, 10, 30 and 100 microseconds.
        for (int rounds : {0, 15, 45, 150, 450, 1500}) {
            for (const char *form : forms) {
                if (rounds == 0 && strstr(form, "half")) continue;
                int count = rounds == 0 ? 2000 : std::clamp(30000 / (rounds / 15), 200, 2000);
                double time = run({form, blocks, rounds, 0}, count, rounds > 400 ? 4 : 6);
                printf("chain form=%s blocks=%d rounds=%d kilobytes=0 count=%d us=%.3f\n", form, blocks, rounds, count, time);
                fflush(stdout);
            }
        }
    }
    for (int blocks : {1, 132, 1000}) {
        for (int kilobytes : {64, 1024, 16384, 65536}) {
            if (blocks == 1 && kilobytes > 1024) continue;
            for (const char *form : forms) {
                if (strstr(form, "half")) continue;
                double time = run({form, blocks, 0, kilobytes}, 200, 5);
                printf("chain form=%s blocks=%d rounds=0 kilobytes=%d count=200 us=%.3f\n", form, blocks, kilobytes, time);
                fflush(stdout);
            }
        }
    }
    return 0;
}
