// Sections 2.1 to 2.5: what a launch returns, what orders streams, what the host sees when, which calls wait.
#pragma once
#include "test.h"
#include <thread>

// ---- 2.1 ----

static std::string launch_returns() {
    gated<<<1, 1, 0, first>>>(shared, 1, false);
    cudaError_t query = cudaStreamQuery(first);
    open_gate();
    MUST(cudaStreamSynchronize(first));
    return std::string(cudaGetErrorName(query)) + (shared->saw == 1 ? ", the grid saw what came later" : ", it did not");
}

static std::string launch_refuses() {
    mark<<<1, 2048, 0, first>>>(1, 0);
    std::string text = cudaGetErrorName(cudaGetLastError());
    mark<<<1, 1, 300 << 10, first>>>(2, 0);
    text += std::string(" ") + cudaGetErrorName(cudaGetLastError());
    mark<<<1, 1, 0, first>>>(3, 0);
    return text + " " + cudaGetErrorName(cudaGetLastError()) + ", " + marks();
}

// ---- 2.2 ----

static std::string same_stream() {
    mark<<<1, 1, 0, first>>>(1, some(1));
    mark<<<1, 1, 0, first>>>(2, 0);
    return marks();
}

static std::string two_streams() {
    mark<<<1, 1, 0, first>>>(1, some(1));
    mark<<<1, 1, 0, second>>>(2, some(2));
    return marks();
}

static std::string event_orders() {
    mark<<<1, 1, 0, first>>>(1, some(1));
    MUST(cudaEventRecord(event, first));
    MUST(cudaStreamWaitEvent(second, event, 0));
    mark<<<1, 1, 0, second>>>(2, 0);
    return marks();
}

// A wait is for what was recorded when it was called.
static std::string event_recorded_again() {
    mark<<<1, 1, 0, first>>>(1, some(1));
    MUST(cudaEventRecord(event, first));
    MUST(cudaStreamWaitEvent(second, event, 0));
    mark<<<1, 1, 0, first>>>(3, some(2));
    MUST(cudaEventRecord(event, first));
    mark<<<1, 1, 0, second>>>(2, some(3));
    return marks();
}

static std::string event_never_recorded() {
    cudaEvent_t fresh;
    MUST(cudaEventCreateWithFlags(&fresh, cudaEventDisableTiming));
    mark<<<1, 1, 0, first>>>(1, some(1));
    MUST(cudaStreamWaitEvent(second, fresh, 0));
    mark<<<1, 1, 0, second>>>(2, some(2));
    MUST(cudaEventDestroy(fresh));
    return marks();
}

static std::string legacy_joins() {
    mark<<<1, 1, 0, blocking>>>(1, some(1));
    mark<<<1, 1, 0, cudaStreamLegacy>>>(2, some(2));
    mark<<<1, 1, 0, blocking>>>(3, 0);
    return marks();
}

static std::string legacy_joins_per_thread() {
    mark<<<1, 1, 0, cudaStreamPerThread>>>(1, some(1));
    mark<<<1, 1, 0, cudaStreamLegacy>>>(2, some(2));
    mark<<<1, 1, 0, cudaStreamPerThread>>>(3, 0);
    return marks();
}

static std::string legacy_leaves_nonblocking() {
    mark<<<1, 1, 0, first>>>(1, some(1));
    mark<<<1, 1, 0, cudaStreamLegacy>>>(2, some(2));
    return marks();
}

static std::string per_thread_streams() {
    mark<<<1, 1, 0, cudaStreamPerThread>>>(1, some(1));
    std::thread([] { mark<<<1, 1, 0, cudaStreamPerThread>>>(2, some(2)); }).join();
    return marks();
}

// ---- 2.3 ----

__global__ void reads_shared(Shared* with, const volatile int* managed) {
    state.value[0] = with->value;
    state.value[1] = *managed;
}

static std::string written_before_launch() {
    static int* managed = [] {
        int* memory;
        MUST(cudaMallocManaged(&memory, sizeof(int)));
        return memory;
    }();
    *managed = turn;
    shared->value = turn;
    reads_shared<<<1, 1, 0, first>>>(shared, managed);
    std::string mapped = value_of(0);
    return mapped + " " + value_of(1);
}

// ---- 2.4 ----

__global__ void writes_shared(Shared* with, int value, unsigned nanoseconds) {
    pause(nanoseconds);
    with->value = value;
    state.value[0] = value;
}

static void CUDART_CB reads_in_host_function(void* to) { *static_cast<int*>(to) = shared->value; }

// 0: stream, 1: event, 2: device, 3: queries of the stream, 4: of an event, 5: a blocking copy, 6: a host function.
template <int HOW>
std::string seen_behind() {
    static int* device = [] {
        int* memory;
        MUST(cudaMalloc(&memory, sizeof(int)));
        return memory;
    }();
    int seen = 0, copied;
    cudaStream_t stream = HOW == 5 ? cudaStreamLegacy : first;
    writes_shared<<<1, 1, 0, stream>>>(shared, turn, some(1));
    if (HOW == 1 || HOW == 4) MUST(cudaEventRecord(event, stream));
    if (HOW == 0) MUST(cudaStreamSynchronize(stream));
    if (HOW == 1) MUST(cudaEventSynchronize(event));
    if (HOW == 2) MUST(cudaDeviceSynchronize());
    if (HOW == 3) while (cudaStreamQuery(stream) == cudaErrorNotReady) {}
    if (HOW == 4) while (cudaEventQuery(event) == cudaErrorNotReady) {}
    if (HOW == 5) MUST(cudaMemcpy(&copied, device, sizeof copied, cudaMemcpyDeviceToHost));
    if (HOW == 6) {
        MUST(cudaLaunchHostFunc(stream, reads_in_host_function, &seen));
        MUST(cudaStreamSynchronize(stream));
        return old_or_new(seen);
    }
    return old_or_new(shared->value);
}

static std::string seen_at_once() {
    writes_shared<<<1, 1, 0, first>>>(shared, turn, some(1) / 3);
    pause_host(unsigned(turn) % 7 * 2000);
    return old_or_new(shared->value);
}

__global__ void sends(Shared* with, int value) {
    with->value = value;
    publish(&with->flag);
}

static std::string flag_to_host() {
    sends<<<1, 1, 0, first>>>(shared, turn);
    while (shared->flag == 0) {}
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return old_or_new(shared->value);
}

__global__ void receives(Shared* with) {
    bool came = wait_for(&with->flag, patience);
    state.value[0] = came ? with->value : -1;
}

static std::string flag_to_device() {
    receives<<<1, 1, 0, first>>>(shared);
    shared->value = turn;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    shared->flag = 1;
    return value_of(0);
}

// ---- 2.5 ----

static int *device_words, *pinned_words;

static std::string before_or_behind() {
    open_gate();
    MUST(cudaDeviceSynchronize());
    return shared->saw == 1 ? "returned before the grid's end" : "waited";
}

static std::string copy_to_host_waits() {
    writes_shared<<<1, 1, 0, cudaStreamLegacy>>>(shared, turn, some(1));
    int seen;
    MUST(cudaMemcpyFromSymbol(&seen, state, sizeof seen, offsetof(State, value)));
    return old_or_new(seen);
}

static std::string copy_from_pinned_waits() {
    mark<<<1, 1, 0, cudaStreamLegacy>>>(1, some(1));
    MUST(cudaMemcpy(device_words, pinned_words, sizeof(int), cudaMemcpyHostToDevice));
    return cudaGetErrorName(cudaStreamQuery(cudaStreamLegacy));
}

static std::string set_of_pinned_waits() {
    mark<<<1, 1, 0, cudaStreamLegacy>>>(1, some(1));
    *(volatile int*)pinned_words = 0;
    MUST(cudaMemset(pinned_words, 1, sizeof(int)));
    return *(volatile int*)pinned_words == 0x01010101 ? "set" : "not set";
}

// 0: a copy on the device, 1: a set of device memory, 2: an asynchronous copy to pinned memory, 3: cudaMalloc, 4: cudaFree.
template <int CALL>
std::string call_behind_a_grid() {
    static void* memory;
    if (CALL == 4) MUST(cudaMalloc(&memory, 1 << 16));
    gated<<<1, 1, 0, cudaStreamLegacy>>>(shared, 1, CALL != 2);
    if (CALL == 0) MUST(cudaMemcpy(device_words, device_words + 1, sizeof(int), cudaMemcpyDeviceToDevice));
    if (CALL == 1) MUST(cudaMemset(device_words, 0, sizeof(int)));
    if (CALL == 2) MUST(cudaMemcpyAsync(pinned_words, device_words, sizeof(int), cudaMemcpyDeviceToHost, cudaStreamLegacy));
    if (CALL == 3) MUST(cudaMalloc(&memory, 1 << 16));
    if (CALL == 4) MUST(cudaFree(memory));
    std::string text = before_or_behind();
    if (CALL == 3) MUST(cudaFree(memory));
    return text;
}

// The source may be used again at once.
static std::string pageable_source() {
    int source = turn;
    mark<<<1, 1, 0, first>>>(1, some(1));
    MUST(cudaMemcpyToSymbolAsync(state, &source, sizeof source, offsetof(State, value), cudaMemcpyHostToDevice, first));
    *(volatile int*)&source = -1;
    return value_of(0);
}

static std::vector<Test> stream_tests() {
    MUST(cudaMalloc(&device_words, 64));
    MUST(cudaMallocHost(&pinned_words, 64));
    const char *any = "1 2 | 2 1", *waits = "returned before the grid's end | waited";
    return {
        {"2.1", "launch-returns", launch_returns, "cudaErrorNotReady, the grid saw what came later"},
        {"2.1", "launch-refuses", launch_refuses, "cudaErrorInvalidValue cudaErrorInvalidValue cudaSuccess, 3"},
        {"2.2", "same-stream", same_stream, "1 2"},
        {"2.2", "two-streams", two_streams, any},
        {"2.2", "event-orders", event_orders, "1 2"},
        {"2.2", "event-recorded-again", event_recorded_again, "order 1<2 1<3"},
        {"2.2", "event-never-recorded", event_never_recorded, any},
        {"2.2", "legacy-joins", legacy_joins, "1 2 3"},
        {"2.2", "legacy-joins-per-thread", legacy_joins_per_thread, "1 2 3"},
        {"2.2", "legacy-leaves-nonblocking", legacy_leaves_nonblocking, any},
        {"2.2", "per-thread-streams", per_thread_streams, any},
        {"2.3", "written-before-launch", written_before_launch, "new new"},
        {"2.4", "seen-behind-stream", seen_behind<0>, "new"},
        {"2.4", "seen-behind-event", seen_behind<1>, "new"},
        {"2.4", "seen-behind-device", seen_behind<2>, "new"},
        {"2.4", "seen-behind-stream-query", seen_behind<3>, "new"},
        {"2.4", "seen-behind-event-query", seen_behind<4>, "new"},
        {"2.4", "seen-behind-copy", seen_behind<5>, "new"},
        {"2.4", "seen-in-host-function", seen_behind<6>, "new"},
        {"2.4", "seen-at-once", seen_at_once, "old | new"},
        {"2.4", "flag-to-host", flag_to_host, "new"},
        {"2.4", "flag-to-device", flag_to_device, "new"},
        {"2.5", "copy-to-host-waits", copy_to_host_waits, "new"},
        {"2.5", "copy-from-pinned-waits", copy_from_pinned_waits, "cudaSuccess"},
        {"2.5", "set-of-pinned-waits", set_of_pinned_waits, "set"},
        {"2.5", "copy-on-device", call_behind_a_grid<0>, waits},
        {"2.5", "set-on-device", call_behind_a_grid<1>, waits},
        {"2.5", "copy-async", call_behind_a_grid<2>, "returned before the grid's end"},
        {"2.5", "malloc", call_behind_a_grid<3>, waits},
        {"2.5", "free", call_behind_a_grid<4>, waits},
        {"2.5", "pageable-source", pageable_source, "new"},
    };
}
