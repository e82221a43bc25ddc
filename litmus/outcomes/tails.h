// Section 3.3: when tails start, and what is behind them.
#pragma once
#include "tree.h"

// What is launched behind the tail comes before it, and so do blocks that are late.
__global__ void tail_first(Pauses p) {
    if (blockIdx.x == 0) {
        mark<<<1, 1, 0, cudaStreamTailLaunch>>>(4, 0);
        mark<<<1, 1, 0, cudaStreamFireAndForget>>>(1, p.of[0]);
        mark<<<1, 1, 0, named()>>>(2, p.of[1]);
    } else {
        pause(p.of[2]);
        leave(3);
    }
}

__global__ void with_child(int name, Pauses p) {
    mark<<<1, 1, 0, cudaStreamFireAndForget>>>(name + 10, p.of[0]);
    pause(p.of[1]);
    leave(name);
}

// A tail with its whole tree before the next one.
__global__ void tails_with_trees(Pauses p) {
    with_child<<<1, 1, 0, cudaStreamTailLaunch>>>(1, p);
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(2, 0);
}

__global__ void with_tail(int name, Pauses p) {
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(name + 10, p.of[0]);
    pause(p.of[1]);
    leave(name);
}

// A child's tail before the parent's.
__global__ void tail_of_child(Pauses p) {
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(2, 0);
    with_tail<<<1, 1, 0, cudaStreamFireAndForget>>>(1, p);
}

// A tail's own tail before the parent's next one.
__global__ void tail_of_tail(Pauses p) {
    with_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(1, p);
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(2, 0);
}

// A grid's tails before the next grid of its stream.
__global__ void tail_in_stream(Pauses p, bool null) {
    cudaStream_t stream = null ? nullptr : named();
    with_tail<<<1, 1, 0, stream>>>(1, p);
    mark<<<1, 1, 0, stream>>>(2, 0);
}

__global__ void tails_of_two(Pauses p, bool blocks) {
    unsigned which = blocks ? blockIdx.x : threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        pause(p.of[which]);
        mark<<<1, 1, 0, cudaStreamTailLaunch>>>(which + 1, 0);
    }
}

static std::vector<Test> tail_tests() {
    return {
        {"3.3.1", "tail-first", [] { return run(tail_first, 2, 1, pauses()); }, "order 1<4 2<4 3<4 4<9"},
        {"3.3.1", "tails-with-trees", [] { return run(tails_with_trees, 1, 1, pauses()); }, "1 11 2 9 | 11 1 2 9"},
        {"3.3.1", "tails-of-two-warps", [] { return run(tails_of_two, 1, 64, pauses(), false); }, "1 2 9 | 2 1 9"},
        {"3.3.1", "tails-of-two-blocks", [] { return run(tails_of_two, 2, 1, pauses(), true); }, "1 2 9 | 2 1 9"},
        {"3.3.2", "tail-of-child", [] { return run(tail_of_child, 1, 1, pauses()); }, "1 11 2 9"},
        {"3.3.2", "tail-of-tail", [] { return run(tail_of_tail, 1, 1, pauses()); }, "1 11 2 9"},
        {"3.3.2", "tail-in-null-stream", [] { return run(tail_in_stream, 1, 1, pauses(), true); }, "1 11 2 9"},
        {"3.3.2", "tail-in-named-stream", [] { return run(tail_in_stream, 1, 1, pauses(), false); }, "1 11 2 9"},
        {"3.3.2", "tail-in-host-stream", [] { return run(with_tail, 1, 1, 1, pauses()); }, "1 11 9"},
    };
}
