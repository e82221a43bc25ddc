//! `progress/pdl-slots`: early-started blocks hold every slot that a prerequisite needs.

use crate::rules::RuleText;

/// What `hotfire explain progress/pdl-slots` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Blocks of an early-started kernel fill the device and wait for a grid that now cannot run",
    models: "\
        A kernel that was started early over a programmatic edge takes slots of the multiprocessors. If its \
        blocks wait for the primary while the primary still has child grids or blocks to start, and no slot is \
        left, neither side moves.",
    fires: "\
        Blocks that wait in cudaGridDependencySynchronize() hold every slot, and a grid that must complete first \
        still has blocks or child grids to start.",
    misses: "\
        Combinations that would fill a smaller device only. Whether real devices start the blocks that early is \
        not promised either way.",
    cases: &["l11: the primary triggers, then launches a child; the secondary waits at entry in every slot"],
    help: &[
        "Trigger after the last child was launched and has room, or do not trigger in a grid that launches children.",
        "Or give the secondary fewer blocks than the device has slots.",
    ],
    source: "launch-model 4.11; CUDA C++ Programming Guide, Programmatic Dependent Launch and Synchronization",
};
