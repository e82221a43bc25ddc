// Section 4: when dependents of programmatic launches start, and what their waits cover.
#pragma once
#include "test.h"

// flag 0: the dependent has begun; flag 1: the primary has ended; value 0: what the primary writes at its end.
enum Trigger { NOBODY, ALL, ONE_THREAD, NOT_THE_LAST_BLOCK, OTHERS_EXIT, BEHIND_FENCE, TWICE };

__global__ void primary(Trigger trigger, int value) {
    bool last = blockIdx.x == gridDim.x - 1;
    if (trigger == OTHERS_EXIT && !last) return;
    if (trigger == BEHIND_FENCE && last && threadIdx.x == 0) state.value[1] = value;
    if (trigger == BEHIND_FENCE) {
        __syncthreads();
        __threadfence();
    }
    if (trigger == ALL || trigger == OTHERS_EXIT || trigger == BEHIND_FENCE || trigger == TWICE ||
        (trigger == ONE_THREAD && threadIdx.x == 7) || (trigger == NOT_THE_LAST_BLOCK && !last))
        cudaTriggerProgrammaticLaunchCompletion();
    if (trigger == TWICE) cudaTriggerProgrammaticLaunchCompletion();
    // The last block stays until the dependent has begun, if it comes.
    if (last && threadIdx.x == 0) {
        wait_for(&state.flag[0], limit);
        state.value[0] = value;
        publish(&state.flag[1]);
    }
}

// code 0: it began before the primary's end; value 2: what it saw behind the wait, or at its start without one; value 3: the same in
// another thread behind a barrier; value 4: what stood before the fence.
__global__ void dependent(bool waits) {
    if (blockIdx.x > 0) {
        if (waits) cudaGridDependencySynchronize();
        return;
    }
    if (threadIdx.x == 0) {
        state.code[0] = state.flag[1] == 0 ? 1 : 2;
        if (!waits) state.value[2] = state.value[0];
        state.value[4] = state.value[1];
        publish(&state.flag[0]);
        if (waits) {
            cudaGridDependencySynchronize();
            state.value[2] = state.value[0];
        }
    }
    __syncthreads();
    if (threadIdx.x == 32) state.value[3] = state.value[0];
}

static std::string early_or_late() {
    int code = code_of(0);
    return code == 1 ? "early" : code == 2 ? "late" : "never";
}

static void launch_primary(Trigger trigger, cudaStream_t stream = first) { primary<<<4, 64, 0, stream>>>(trigger, turn); }

static void launch_dependent(bool waits, bool programmatic = true, cudaStream_t stream = first) {
    launch_with(shape(2, 64, stream), programmatic ? std::vector{serialisation()} : std::vector<cudaLaunchAttribute>{}, dependent, waits);
}

template <Trigger TRIGGER>
std::string start() {
    launch_primary(TRIGGER);
    launch_dependent(true);
    std::string text = early_or_late();
    return text + " " + value_of(2) + " " + value_of(3);
}

static std::string no_attribute() {
    launch_primary(ALL);
    launch_dependent(true, false);
    return early_or_late() + " " + value_of(2);
}

// 0: a set, 1: a copy, 2: a host function between the two.
template <int WHAT>
std::string between() {
    static int* words = [] {
        int* memory;
        MUST(cudaMalloc(&memory, 64));
        return memory;
    }();
    launch_primary(ALL);
    if (WHAT == 0) MUST(cudaMemsetAsync(words, 0, 4, first));
    if (WHAT == 1) MUST(cudaMemcpyAsync(words, words + 8, 4, cudaMemcpyDeviceToDevice, first));
    if (WHAT == 2) MUST(cudaLaunchHostFunc(first, [](void*) {}, nullptr));
    launch_dependent(true);
    return early_or_late() + " " + value_of(2);
}

template <Trigger TRIGGER>
std::string without_wait() {
    launch_primary(TRIGGER);
    launch_dependent(false);
    return value_of(2);
}

static std::string fence_before_trigger() {
    launch_primary(BEHIND_FENCE);
    launch_dependent(false);
    return value_of(4);
}

// ---- chains A, B, C ----

// 0: neither triggers nor waits, 1: triggers, 2: triggers, then waits, 3: waits, then triggers.
__global__ void link(int how) {
    if (how == 1 || how == 2) cudaTriggerProgrammaticLaunchCompletion();
    if (how == 2 || how == 3) cudaGridDependencySynchronize();
    if (how == 3) cudaTriggerProgrammaticLaunchCompletion();
}

template <int HOW>
std::string chain() {
    launch_primary(ALL);
    launch_with(shape(2, 32, first), {serialisation()}, link, HOW);
    launch_dependent(true);
    return early_or_late() + " " + value_of(2);
}

__global__ void copy_over() { state.value[2] = state.value[0]; }

// 0: a kernel behind B in its stream, 1: one behind an event there, 2: a copy.
template <int WHAT>
std::string behind_chain() {
    launch_primary(ALL);
    launch_with(shape(2, 32, first), {serialisation()}, link, 1);
    if (WHAT == 0) copy_over<<<1, 1, 0, first>>>();
    if (WHAT == 1) {
        MUST(cudaEventRecord(event, first));
        MUST(cudaStreamWaitEvent(second, event, 0));
        copy_over<<<1, 1, 0, second>>>();
    }
    if (WHAT == 2) {
        static char* base = [] {
            void* address;
            MUST(cudaGetSymbolAddress(&address, state));
            return static_cast<char*>(address) + offsetof(State, value);
        }();
        MUST(cudaMemcpyAsync(base + 2 * sizeof(int), base, sizeof(int), cudaMemcpyDeviceToDevice, first));
    }
    return value_of(2);
}

// ---- events ----

// 0: the trigger, 1: that all blocks have begun.
template <int WHICH>
std::string event_of_launch() {
    cudaLaunchAttribute attribute = {};
    if (WHICH == 0) {
        attribute.id = cudaLaunchAttributeProgrammaticEvent;
        attribute.val.programmaticEvent.event = event;
    } else {
        attribute.id = cudaLaunchAttributeLaunchCompletionEvent;
        attribute.val.launchCompletionEvent.event = event;
    }
    launch_with(shape(4, 64, first), {attribute}, primary, ALL, turn);
    MUST(cudaStreamWaitEvent(second, event, 0));
    launch_dependent(true, true, second);
    return early_or_late() + " " + value_of(2);
}

// ---- clusters ----

__global__ void __cluster_dims__(2, 1, 1) pair_primary(bool both, int value) {
    if (both || blockIdx.x == 0) cudaTriggerProgrammaticLaunchCompletion();
    if (blockIdx.x == 1) {
        wait_for(&state.flag[0], limit);
        state.value[0] = value;
        publish(&state.flag[1]);
    }
}

template <bool BOTH>
std::string cluster() {
    pair_primary<<<2, 1, 0, first>>>(BOTH, turn);
    launch_dependent(true);
    return early_or_late() + " " + value_of(2);
}

static std::vector<Test> dependent_tests() {
    const char *any = "early new new | late new new", *late = "late new new", *some_new = "early new | late new";
    return {
        {"4.1", "no-attribute", no_attribute, "late new"},
        {"4.2", "all-trigger", start<ALL>, any},
        {"4.2", "one-thread-triggers", start<ONE_THREAD>, any},
        {"4.2", "other-blocks-exit", start<OTHERS_EXIT>, any},
        {"4.2", "trigger-twice", start<TWICE>, any},
        {"4.2", "one-block-silent", start<NOT_THE_LAST_BLOCK>, late},
        {"4.2", "cluster-both-trigger", cluster<true>, some_new},
        {"4.2", "cluster-one-triggers", cluster<false>, "late new"},
        {"4.3", "nobody-triggers", start<NOBODY>, late},
        {"4.3", "implicit-without-wait", without_wait<NOBODY>, "old | new"},
        {"4.5", "fence-before-trigger", fence_before_trigger, "new"},
        {"4.7", "trigger-without-wait", without_wait<ALL>, "old | new"},
        {"4.8", "chain-triggers", chain<1>, "early old | late old | early new | late new"},
        {"4.8", "chain-triggers-then-waits", chain<2>, some_new},
        {"4.8", "chain-waits-then-triggers", chain<3>, "late new"},
        {"4.9", "kernel-behind-chain", behind_chain<0>, "new"},
        {"4.9", "event-behind-chain", behind_chain<1>, "new"},
        {"4.9", "copy-behind-chain", behind_chain<2>, "new"},
        {"4.10", "set-between", between<0>, "late new"},
        {"4.10", "copy-between", between<1>, "late new"},
        {"4.10", "host-function-between", between<2>, "late new"},
        {"4.1", "programmatic-event", event_of_launch<0>, some_new},
        {"4.1", "launch-completion-event", event_of_launch<1>, "early old | late old | early new | late new"},
    };
}
