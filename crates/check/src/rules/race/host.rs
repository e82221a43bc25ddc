//! `race/host`: host code or a host function, and work of the device.

use crate::rules::RuleText;

/// What `hotfire explain race/host` prints.
pub const TEXT: RuleText = RuleText {
    summary: "The CPU touches memory that queued or running device work uses, with no synchronisation between",
    models: "\
        What the host wrote before a launch call is visible to the grid. What the grid wrote is visible to the \
        host only after the host synchronised with its completion: a stream, event, device or context \
        synchronise, a query that returned success, a blocking copy on that stream, or a host function behind it. \
        Until then a CPU read of mapped, managed or pinned memory that the work writes is a race, and so is a CPU \
        write to memory that a queued grid or asynchronous copy still has to read. One protocol is legal without \
        synchronising: payload, then a system-scope release (or __threadfence_system() and a volatile store) to a \
        flag that the other side polls.",
    fires: "\
        One side is CPU code or a function given to cudaLaunchHostFunc, the other a grid, copy or set; they touch \
        a common byte, one writes, and neither comes before the other. Aligned CPU accesses of at most 8 bytes \
        count as strong at system scope, so a flag is judged by its device side.",
    misses: "\
        Code that did not run in the schedules that were tried, and accesses that a lock or flag happened to \
        order in all of them: run more schedules with --seeds. Locks and joins between host threads are \
        invisible: a synchronisation by any host thread counts for all later host accesses. A page that trapped \
        very often between two synchronisations is opened, and the summary says so.",
    cases: &[
        "h01: a kernel writes mapped memory, the CPU reads it with no synchronisation",
        "h02: an asynchronous copy to pinned memory, read too early; its source overwritten too early",
        "h03: the CPU overwrites a mapped input after the launch",
    ],
    help: &[
        "\
            Synchronise before the CPU's access: cudaStreamSynchronize(stream), or cudaEventSynchronize(event) \
            with an event recorded behind the work.",
        "Or give the queued work a buffer that the CPU does not touch until then.",
    ],
    source: "\
        launch-model 2.3, 2.4, 2.5 and section 1; CUDA C++ Programming Guide, Mapped Memory, Unified Memory \
        Coherency",
};
