//! `race/parent-child`: a grid and one that it launched, directly or through others.

use crate::rules::RuleText;

/// What `hotfire explain race/parent-child` prints.
pub const TEXT: RuleText = RuleText {
    summary: "A grid and a grid below it in the launch tree touch the same memory, and nothing orders them",
    models: "\
        A device launch is asynchronous: the child may start at once, or only when its parent's threads are done. \
        There is exactly one point at which the child's view of memory is sure to equal its launcher's: the \
        launch, as the launching thread sees memory then. What other threads of the parent wrote counts only if \
        it is ordered before the launch, by a barrier or by a fence with an atomic. The other way there is no \
        such point at all: a parent can never read what a child wrote, because CUDA has no way to wait for a \
        child inside the parent.",
    fires: "\
        One side is a thread of a grid, the other a thread, copy or set of a grid that it launched (at any \
        depth); they touch a common byte, one writes, and neither comes before the other. Typical: the parent \
        reads a child's result after __syncthreads(); one thread launches before the barrier behind which the \
        other threads' stores are complete; a ticket is taken by a relaxed atomic with no fence, and the last \
        block launches.",
    misses: "\
        Code that did not run in the schedules that were tried, and accesses that a lock or flag happened to \
        order in all of them: run more schedules with --seeds.",
    cases: &[
        "d01: the parent launches a child that writes p, __syncthreads(), the parent reads p",
        "d03: every thread writes p[tid]; thread 0 launches a child that reads p with no barrier before the launch",
        "d04: the same within one warp, lane 0 launching without __syncwarp()",
        "d05: the last block launches after a relaxed atomicAdd ticket with no fence",
    ],
    help: &[
        "\
            Child reads what other threads wrote: put __syncthreads() (within a warp __syncwarp()) before the \
            launch, or __threadfence() on both sides of the atomic that picks the launching thread.",
        "\
            Parent reads what the child wrote: move the reading code into a kernel launched on \
            cudaStreamTailLaunch, or read on the host after synchronising.",
    ],
    source: "\
        launch-model 3.1.1, 3.1.2, 3.4.1, 3.4.2; CUDA C++ Programming Guide, Dynamic Parallelism, Memory \
        Coherence and Consistency",
};
