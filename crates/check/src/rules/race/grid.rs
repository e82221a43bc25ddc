//! `race/grid`: two blocks of one grid.

use crate::rules::RuleText;

/// What `hotfire explain race/grid` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Two blocks of one grid touch the same memory, unordered",
    models: "\
        Blocks of a grid run in any order and at the same time. Only fences with atomics (a release in one block \
        that an acquire in another reads), the grid barrier of a cooperative launch and, within a cluster, the \
        cluster barrier and mbarriers order them. A relaxed atomic orders nothing.",
    fires: "\
        Threads of two blocks of one grid touch a common byte, one of them writes, neither comes before the \
        other, and not both accesses are strong with a scope that includes the other thread. Block-scope atomics \
        in two blocks are not enough.",
    misses: "\
        Code that did not run in the schedules that were tried, and accesses that a lock or flag happened to \
        order in all of them: run more schedules with --seeds. Shared memory of a block of the cluster that has \
        ended. Plain stores of the same value and size by several \
        threads are a note (advice/same-value), not a race. Strong accesses of different sizes are taken to overlap \
        completely.",
    cases: &[
        "g01: two blocks write different values to one cell",
        "g06: blocks of a cluster reach into each other's shared memory without meeting",
    ],
    help: &[
        "Use an atomic of device scope for the cell, or let one block own it.",
        "\
            For data handed from block to block: __threadfence() and an atomic flag on both sides, or \
            cuda::atomic_ref with release and acquire.",
        "Or split the kernel in two launches of one stream.",
        "In a cluster: cluster.sync() between the two accesses, and before a block ends that others reach into.",
    ],
    source: "launch-model 1, 2.6, 6; PTX ISA, Memory Consistency Model",
};
