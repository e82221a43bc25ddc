//! `race/pdl`: a kernel that was started early over a programmatic edge.

use crate::rules::RuleText;

/// What `hotfire explain race/pdl` prints.
pub const TEXT: RuleText = RuleText {
    summary: "A kernel launched with programmatic stream serialization touches memory of a grid before it, unordered",
    models: "\
        With the attribute, the secondary kernel's blocks may start as soon as every block of the primary has \
        triggered or exited. Only cudaGridDependencySynchronize() (griddepcontrol.wait) orders a thread of the \
        secondary behind the primary and everything it wrote; it orders that thread alone, and other threads of \
        its block only behind a barrier. The trigger publishes nothing by itself. Without any trigger the \
        implicit one at exit still comes before completion, so the attribute alone makes the wait necessary.",
    fires: "\
        The secondary reads or writes a byte before its wait (or without one) that the primary, or a grid before \
        it, writes or still reads. Writes count too: a workspace that the primary still reads is as wrong as an \
        input it still writes. Not reported, because it is correct: a trigger placed before the stores when every \
        reader waits.",
    misses: "\
        Code that did not run in the schedules that were tried, and accesses that a lock or flag happened to \
        order in all of them: run more schedules with --seeds.",
    cases: &[
        "l01: the secondary never waits and reads the primary's output",
        "l02: one value is read before the wait",
        "l03: a write before the wait into memory that the primary still reads",
        "l04: only one warp waits",
        "l05: the wait is missing on one branch",
        "l06: the third kernel of a chain reads before its own wait what the first wrote",
        "l08: stores behind the fence and trigger, read without waiting",
        "l09: a const __restrict__ input read before the wait",
        "l13: the same over a programmatic edge of a captured graph",
    ],
    help: &[
        "\
            Put cudaGridDependencySynchronize() before the first access to memory that an earlier grid of the \
            stream touches, on every path and in every thread (or behind it a barrier that the others pass).",
        "Or launch without the attribute.",
    ],
    source: "\
        launch-model 4.2 to 4.5, 4.8, 4.11; PTX ISA, griddepcontrol; CUDA C++ Programming Guide, Programmatic \
        Dependent Launch and Synchronization",
};
