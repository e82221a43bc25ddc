//! `race/tail`: two grids of one tail stream.

use crate::rules::RuleText;

/// What `hotfire explain race/tail` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Two tail launches of one grid conflict, and their launches were not ordered",
    models: "\
        Every grid has one tail stream. What it holds starts when the grid is done and runs one after another, \
        each with its whole tree, in the order in which it was launched. When several threads launch into it with \
        nothing that orders them, that order is unspecified, and so is which of two conflicting grids comes \
        first.",
    fires: "\
        Both sides lie in one tail stream (or below grids of it), the threads that launched them were not ordered \
        with each other, the grids touch a common byte and one of them writes.",
    misses: "\
        Code that did not run in the schedules that were tried, and accesses that a lock or flag happened to \
        order in all of them: run more schedules with --seeds. Tail grids that do not conflict may be launched in \
        any order and are never reported.",
    cases: &["d15: two unordered threads tail-launch kernels that write the same cell"],
    help: &[
        "Let one thread make both tail launches, in the order that you mean.",
        "Or order the launching threads, by a barrier between them.",
    ],
    source: "\
        launch-model 3.2 (last point), 3.3.1; CUDA C++ Programming Guide, Dynamic Parallelism, The Tail Launch \
        Stream",
};
