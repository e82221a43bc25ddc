// Sections 3.1, 3.2 and 3.4: when children start and what waits for them, the streams of device code, what children and parents see.
#pragma once
#include "test.h"

// Device code has no variables of the host: what `some` gave comes as parameters.
struct Pauses {
    unsigned of[4];
};

static Pauses pauses() { return {{some(1), some(2), some(3), some(4)}}; }

template <typename... Parameters, typename... Arguments>
std::string run(void (*parent)(Parameters...), unsigned blocks, unsigned threads, Arguments... arguments) {
    parent<<<blocks, threads, 0, first>>>(Parameters(arguments)...);
    mark<<<1, 1, 0, first>>>(9, 0);
    return marks();
}

__device__ cudaStream_t named() {
    cudaStream_t stream = nullptr;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) state.code[7] = 1;
    return stream;
}

// ---- 3.1 ----

__global__ void raises() { publish(&state.flag[0]); }

// 0: fire-and-forget, 1: the NULL stream, 2: a named one.
__global__ void waits_for_child(int kind) {
    cudaStream_t stream = kind == 0 ? cudaStreamFireAndForget : kind == 1 ? nullptr : named();
    raises<<<1, 1, 0, stream>>>();
    state.code[0] = wait_for(&state.flag[0], limit) ? 1 : 2;
}

template <int KIND>
std::string child_starts() {
    waits_for_child<<<1, 1, 0, first>>>(KIND);
    return code_of(0) == 1 ? "while its parent ran" : "behind it";
}

__global__ void lowest(unsigned nanoseconds) {
    pause(nanoseconds);
    leave(3);
}

__global__ void middle(Pauses p) {
    lowest<<<1, 1, 0, named()>>>(p.of[2]);
    pause(p.of[1]);
    leave(2);
}

__global__ void highest(Pauses p) {
    middle<<<1, 1>>>(p);
    pause(p.of[0]);
    leave(1);
}

static std::string nested() { return run(highest, 1, 1, pauses()); }

static std::string nested_behind_event() {
    highest<<<1, 1, 0, first>>>(pauses());
    MUST(cudaEventRecord(event, first));
    MUST(cudaStreamWaitEvent(second, event, 0));
    mark<<<1, 1, 0, second>>>(9, 0);
    return marks();
}

__global__ void uses_much() {
    extern __shared__ volatile int much[];
    much[25000] = 1;
    leave(much[25000]);
}

__global__ void launches_much() { uses_much<<<1, 1, 101000, cudaStreamFireAndForget>>>(); }

static std::string attribute_holds() {
    MUST(cudaFuncSetAttribute(uses_much, cudaFuncAttributeMaxDynamicSharedMemorySize, 101000));
    return run(launches_much, 1, 1);
}

// ---- 3.2 ----

__global__ void two_forgotten(Pauses p) {
    mark<<<1, 1, 0, cudaStreamFireAndForget>>>(1, p.of[0]);
    mark<<<1, 1, 0, cudaStreamFireAndForget>>>(2, p.of[1]);
}

__global__ void two_each_block(Pauses p) {
    mark<<<1, 1>>>(10 * blockIdx.x + 1, p.of[blockIdx.x]);
    mark<<<1, 1>>>(10 * blockIdx.x + 2, p.of[blockIdx.x + 1]);
}

__global__ void one_each_warp(Pauses p) {
    if (threadIdx.x % 32 == 0) mark<<<1, 1>>>(threadIdx.x / 32 + 1, p.of[threadIdx.x / 32]);
}

__global__ void named_from_two_threads(Pauses p) {
    __shared__ cudaStream_t stream;
    if (threadIdx.x == 0) {
        stream = named();
        mark<<<1, 1, 0, stream>>>(1, p.of[0]);
    }
    __syncthreads();
    if (threadIdx.x == 32) mark<<<1, 1, 0, stream>>>(2, 0);
}

__device__ cudaStream_t volatile handed_over;

__global__ void named_from_two_blocks(Pauses p) {
    if (blockIdx.x == 0) {
        cudaStream_t stream = named();
        mark<<<1, 1, 0, stream>>>(1, p.of[0]);
        handed_over = stream;
        publish(&state.flag[0]);
    } else if (wait_for(&state.flag[0], patience)) {
        mark<<<1, 1, 0, handed_over>>>(2, 0);
    }
}

__global__ void two_named(Pauses p) {
    mark<<<1, 1, 0, named()>>>(1, p.of[0]);
    mark<<<1, 1, 0, named()>>>(2, p.of[1]);
}

__global__ void named_and_event(Pauses p) {
    cudaStream_t a = named(), b = named();
    mark<<<1, 1, 0, a>>>(1, p.of[0]);
    mark<<<1, 1, 0, b>>>(2, p.of[1]);
    cudaEvent_t recorded;
    state.code[0] = cudaEventCreateWithFlags(&recorded, cudaEventDisableTiming);
    cudaEventRecord(recorded, a);
    cudaStreamWaitEvent(b, recorded, 0);
    mark<<<1, 1, 0, b>>>(3, 0);
    cudaEventDestroy(recorded);
}

__global__ void special_streams() {
    cudaEvent_t recorded;
    state.code[0] = cudaEventCreateWithFlags(&recorded, cudaEventDisableTiming);
    cudaStream_t a = named();
    cudaEventRecord(recorded, a);
    state.code[1] = cudaEventRecord(recorded, cudaStreamFireAndForget);
    state.code[2] = cudaEventRecord(recorded, cudaStreamTailLaunch);
    state.code[3] = cudaStreamWaitEvent(cudaStreamFireAndForget, recorded, 0);
    state.code[4] = cudaStreamWaitEvent(cudaStreamTailLaunch, recorded, 0);
}

__global__ void other_flags() {
    cudaStream_t stream;
    cudaEvent_t made;
    state.code[0] = cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
    state.code[1] = cudaEventCreateWithFlags(&made, cudaEventDefault);
}

static std::string codes(int from, int to) {
    MUST(cudaDeviceSynchronize());
    State copy = fetch();
    std::string text;
    for (int i = from; i <= to; ++i) text += (i > from ? " " : "") + std::to_string(int(copy.code[i]));
    return text;
}

static std::string events_on_special() {
    special_streams<<<1, 1, 0, first>>>();
    return codes(0, 4);
}

static std::string flags_of_streams_and_events() {
    other_flags<<<1, 1, 0, first>>>();
    return codes(0, 1);
}

// ---- 3.4 ----

__device__ int plain[64];

__global__ void reads_plain() {
    int wrong = 0, right = 0;
    for (int word : plain) word == plain[0] && word != 0 ? ++right : ++wrong;
    state.value[0] = wrong == 0 ? plain[0] : right == 0 ? 0 : -1;
}

// What the launching thread wrote, and what others wrote before a barrier.
__global__ void writes_then_launches(int value) {
    plain[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x == 0) reads_plain<<<1, 1, 0, cudaStreamFireAndForget>>>();
}

__global__ void clears_plain() { plain[threadIdx.x] = 0; }

static std::string child_sees_launch() {
    clears_plain<<<1, 64, 0, first>>>();
    writes_then_launches<<<1, 64, 0, first>>>(turn);
    return value_of(0);
}

__global__ void copies_value(int from, int to) { state.value[to] = state.value[from]; }

__global__ void sets_value(int which, int value, unsigned nanoseconds) {
    pause(nanoseconds);
    state.value[which] = value;
}

__global__ void writes_behind(int value, Pauses p) {
    copies_value<<<1, 1, 0, cudaStreamFireAndForget>>>(0, 1);
    pause(p.of[0]);
    state.value[0] = value;
}

static std::string child_and_later_write() {
    writes_behind<<<1, 1, 0, first>>>(turn, pauses());
    return value_of(1);
}

__global__ void reads_childs(int value, Pauses p) {
    sets_value<<<1, 1, 0, cudaStreamFireAndForget>>>(0, value, 0);
    pause(p.of[0]);
    state.value[1] = state.value[0];
}

static std::string parent_and_childs_write() {
    reads_childs<<<1, 1, 0, first>>>(turn, pauses());
    return value_of(1);
}

// 0: the parent's tail, 1: what is behind the parent in its stream.
__global__ void child_writes(int value, Pauses p, bool tail) {
    if (tail) copies_value<<<1, 1, 0, cudaStreamTailLaunch>>>(0, 1);
    sets_value<<<1, 1, 0, named()>>>(0, value, p.of[0]);
}

static std::string tail_sees_childs_write() {
    child_writes<<<1, 1, 0, first>>>(turn, pauses(), true);
    return value_of(1);
}

static std::string successor_sees_childs_write() {
    child_writes<<<1, 1, 0, first>>>(turn, pauses(), false);
    copies_value<<<1, 1, 0, first>>>(0, 1);
    return value_of(1);
}

__constant__ int constant;

__global__ void reads_constant(int mark_base) { leave(mark_base + constant); }
__global__ void child_reads_constant(int mark_base) { reads_constant<<<1, 1, 0, cudaStreamFireAndForget>>>(mark_base); }

static std::string constants_between_grids() {
    for (int value = 1; value <= 2; ++value) {
        MUST(cudaMemcpyToSymbolAsync(constant, &value, sizeof value, 0, cudaMemcpyHostToDevice, first));
        child_reads_constant<<<1, 1, 0, first>>>(10 * value);
    }
    return marks();
}

static std::vector<Test> tree_tests() {
    const char* any = "1 2 9 | 2 1 9";
    return {
        {"3.1.2", "child-starts", child_starts<0>, "while its parent ran | behind it"},
        {"3.1.2", "child-starts-null", child_starts<1>, "while its parent ran | behind it"},
        {"3.1.2", "child-starts-named", child_starts<2>, "while its parent ran | behind it"},
        {"3.1.1", "nested", nested, "order 1<9 2<9 3<9"},
        {"3.1.1", "nested-behind-event", nested_behind_event, "order 1<9 2<9 3<9"},
        {"3.1.4", "attribute-holds", attribute_holds, "1 9"},
        {"3.2", "fire-and-forget", [] { return run(two_forgotten, 1, 1, pauses()); }, any},
        {"3.2", "null-streams", [] { return run(two_each_block, 2, 1, pauses()); }, "order 1<2<9 11<12<9"},
        {"3.2", "null-stream-unordered", [] { return run(one_each_warp, 1, 64, pauses()); }, any},
        {"3.2", "named-two-threads", [] { return run(named_from_two_threads, 1, 64, pauses()); }, "1 2 9"},
        {"3.2", "named-two-blocks", [] { return run(named_from_two_blocks, 2, 1, pauses()); }, "1 2 9"},
        {"3.2", "two-named", [] { return run(two_named, 1, 1, pauses()); }, any},
        {"3.2", "named-and-event", [] { return run(named_and_event, 1, 1, pauses()); }, "order 1<3 2<3 3<9"},
        {"3.2", "events-on-special-streams", events_on_special, "0 1 1 1 1"},
        {"3.2", "flags-of-streams-and-events", flags_of_streams_and_events, "0 1 | 1 1"},
        {"3.4.1", "child-sees-launch", child_sees_launch, "new"},
        {"3.4.1", "child-and-later-write", child_and_later_write, "old | new"},
        {"3.4.2", "parent-and-childs-write", parent_and_childs_write, "old | new"},
        {"3.4.2", "tail-sees-childs-write", tail_sees_childs_write, "new"},
        {"3.4.2", "successor-sees-childs-write", successor_sees_childs_write, "new"},
        {"3.4.4", "constants-between-grids", constants_between_grids, "11 22"},
    };
}
