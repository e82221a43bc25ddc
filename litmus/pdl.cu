// What may stand between a kernel and one that is launched programmatically behind it, and which launches overlap at all.
// Each line: a name, the answer of the launch, and whether the second kernel (or copy) saw the first one still running.
//
// build: pdl -arch=sm_90
#include <cstdio>
#include <cuda_runtime.h>

__device__ volatile int ended, early, after;

__device__ unsigned long long now() {
    unsigned long long time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}

// mode 1: all threads trigger; 2: one thread does, the others after the spin; 0: none.
__global__ void primary(int mode) {
    if (mode == 1 || (mode == 2 && threadIdx.x == 0)) cudaTriggerProgrammaticLaunchCompletion();
    unsigned long long start = now();
    while (now() - start < 20000000) {}
    __syncthreads();
    if (threadIdx.x == 0) ended = 1;
    __threadfence();
}

__global__ void secondary() {
    if (threadIdx.x == 0) early = ended ? 0 : 1;
    cudaGridDependencySynchronize();
    if (threadIdx.x == 0) after = ended;
}

__global__ void spin() {
    unsigned long long start = now();
    while (now() - start < 5000000) {}
}

struct Setup {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attributes[4];
    Setup(cudaStream_t stream) {
        config.gridDim = 4;
        config.blockDim = 64;
        config.stream = stream;
        config.attrs = attributes;
    }
    cudaLaunchAttribute& add(cudaLaunchAttributeID id) {
        cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
        attribute = {};
        attribute.id = id;
        return attribute;
    }
    Setup& early_start() {
        add(cudaLaunchAttributeProgrammaticStreamSerialization).val.programmaticStreamSerializationAllowed = 1;
        return *this;
    }
    Setup& cooperative() {
        add(cudaLaunchAttributeCooperative).val.cooperative = 1;
        return *this;
    }
};

cudaError_t launch(Setup& setup, int mode) { return cudaLaunchKernelEx(&setup.config, primary, mode); }
cudaError_t launch(Setup& setup) { return cudaLaunchKernelEx(&setup.config, secondary); }

void reset() {
    int values[3] = {0, -1, -1};
    cudaMemcpyToSymbol(ended, &values[0], 4);
    cudaMemcpyToSymbol(early, &values[1], 4);
    cudaMemcpyToSymbol(after, &values[2], 4);
    cudaDeviceSynchronize();
}

void say(const char* name, cudaError_t first, cudaError_t second) {
    cudaError_t last = cudaDeviceSynchronize();
    int e, a;
    cudaMemcpyFromSymbol(&e, early, 4);
    cudaMemcpyFromSymbol(&a, after, 4);
    std::printf("%-44s %s %s %s early=%d ended-behind-wait=%d\n", name, cudaGetErrorName(first), cudaGetErrorName(second),
                cudaGetErrorName(last), e, a);
    cudaGetLastError();
    reset();
}

void nothing(void*) {}

int main() {
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEvent_t event, timed, old;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&old, cudaEventDisableTiming);
    cudaEventCreate(&timed);
    cudaEventRecord(old, t);
    int* scratch;
    cudaMalloc(&scratch, 4096);
    int* pooled;
    cudaMallocAsync(&pooled, 4096, s);
    cudaStreamSynchronize(s);
    reset();
    auto pair = [&](const char* name, int mode, auto between, cudaStream_t stream, bool coop1, bool coop2) {
        Setup a(stream), b(stream);
        if (coop1) a.cooperative();
        if (coop2) b.cooperative();
        b.early_start();
        cudaError_t first = launch(a, mode);
        between();
        cudaError_t second = launch(b);
        say(name, first, second);
    };
    auto none = [] {};
    for (int round = 0; round < 2; ++round) {
        pair("all threads trigger", 1, none, s, false, false);
        pair("one thread triggers", 2, none, s, false, false);
        pair("nobody triggers", 0, none, s, false, false);
        pair("legacy default stream", 1, none, 0, false, false);
        pair("secondary cooperative", 1, none, s, false, true);
        pair("primary cooperative", 1, none, s, true, false);
        pair("event record between", 1, [&] { cudaEventRecord(old, s); }, s, false, false);
        pair("timed event record between", 1, [&] { cudaEventRecord(timed, s); }, s, false, false);
        pair("wait for a complete event between", 1, [&] { cudaStreamWaitEvent(s, old, 0); }, s, false, false);
        pair("wait for an event of a running kernel between", 1, [&] {
            spin<<<1, 1, 0, t>>>();
            cudaEventRecord(old, t);
            cudaStreamWaitEvent(s, old, 0);
        }, s, false, false);
        pair("host function between", 1, [&] { cudaLaunchHostFunc(s, nothing, nullptr); }, s, false, false);
        pair("memset between", 1, [&] { cudaMemsetAsync(scratch, 0, 4, s); }, s, false, false);
        pair("copy between", 1, [&] { cudaMemcpyAsync(scratch, scratch + 8, 4, cudaMemcpyDeviceToDevice, s); }, s, false, false);
        pair("cudaFreeAsync between", 1, [&] { cudaFreeAsync(pooled, s); }, s, false, false);
        int* again = nullptr;
        pair("cudaMallocAsync between", 1, [&] { cudaMallocAsync(&again, 4096, s); }, s, false, false);
        std::printf("the same block: %d\n", again == pooled);
        pooled = again;
        for (int kind = 0; kind < 8; ++kind) {
            const char* names[] = {"programmatic event", "programmatic event at block start", "launch-completion event",
                                   "programmatic event, timed", "programmatic event, then a copy",
                                   "programmatic event, attribute", "the same at block start",
                                   "launch-completion event, attribute"};
            Setup a(s), b(t);
            bool attribute = kind >= 5;
            if (attribute) {
                kind -= 5;
                b.early_start();
            }
            cudaEvent_t used = kind == 3 ? timed : event;
            if (kind == 2) {
                a.add(cudaLaunchAttributeLaunchCompletionEvent).val.launchCompletionEvent.event = used;
            } else {
                auto& value = a.add(cudaLaunchAttributeProgrammaticEvent).val.programmaticEvent;
                value.event = used;
                value.triggerAtBlockStart = kind == 1;
            }
            cudaError_t first = launch(a, kind == 1 || kind == 2 ? 0 : 1);
            cudaError_t waited = cudaStreamWaitEvent(t, used, 0);
            if (waited) std::printf("wait: %s\n", cudaGetErrorName(waited));
            if (kind == 4) {
                int* target;
                cudaGetSymbolAddress((void**)&target, early);
                int* source;
                cudaGetSymbolAddress((void**)&source, ended);
                cudaError_t second = cudaMemcpyAsync(target, source, 4, cudaMemcpyDeviceToDevice, t);
                say("programmatic event, then a copy (early=ended)", first, second);
            } else {
                cudaError_t second = launch(b);
                say(names[kind + (attribute ? 5 : 0)], first, second);
            }
            if (attribute) kind += 5;
        }
        Setup a(s);
        auto& value = a.add(cudaLaunchAttributeProgrammaticEvent).val.programmaticEvent;
        value.event = event;
        cudaError_t first = launch(a, 1);
        cudaError_t second = cudaEventSynchronize(event);
        cudaError_t running = cudaStreamQuery(s);
        std::printf("host waits for a programmatic event: %s %s, stream %s\n", cudaGetErrorName(first),
                    cudaGetErrorName(second), cudaGetErrorName(running));
        cudaDeviceSynchronize();
        reset();
    }
}
