//! `race/sibling`: two grids below one launching grid.

use crate::rules::RuleText;

/// What `hotfire explain race/sibling` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Two grids launched below a common ancestor on the device touch the same memory, unordered",
    models: "\
        Device launches are ordered only within one stream: the NULL stream of one block, or a named stream of \
        one grid, in the order of its launches. Fire-and-forget launches have no order at all. The NULL streams \
        of two blocks are two streams. A named stream is ordered with another one only by an event.",
    fires: "\
        Neither grid is an ancestor of the other, both descend from one grid, they touch a common byte, one of \
        them writes, and neither comes before the other. The finding shows both launch trees up to the grid that \
        they share.",
    misses: "\
        Code that did not run in the schedules that were tried, and accesses that a lock or flag happened to \
        order in all of them: run more schedules with --seeds.",
    cases: &[
        "d02: two fire-and-forget children write the same array",
        "d14: two blocks each launch a writer and then a reader of one shared temporary on the NULL stream",
    ],
    help: &[
        "Launch both from one thread into one stream: the NULL stream of the block, or one named stream.",
        "\
            Or record an event behind the first and let the other's stream wait for it (cudaStreamWaitEvent in \
            device code).",
        "Or give each launch memory of its own, such as one temporary for each block.",
    ],
    source: "launch-model 3.2; CUDA C++ Programming Guide, Dynamic Parallelism, Streams",
};
