//! `race/block`: two threads of one block.

use crate::rules::RuleText;

/// What `hotfire explain race/block` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Two threads of one block touch the same memory with no barrier between",
    models: "\
        Threads of a block are ordered by barriers (bar.sync, named and partial ones), by __syncwarp() and \
        bar.warp.sync for the lanes they name, by an mbarrier (who waited for a phase knows what those did who \
        arrived in it), and by fences with atomics. The lanes of a warp are \
        not in lockstep: what lane 3 wrote is not ordered before what lane 0 reads. Shuffles, votes, match and \
        redux order no memory.",
    fires: "\
        Two threads of one block touch a common byte of shared, global or other memory, one of them writes, \
        neither comes before the other, and not both accesses are strong with a scope that includes the other.",
    misses: "\
        Code that did not run in the schedules that were tried, and accesses that a lock or flag happened to \
        order in all of them: run more schedules with --seeds. Lanes of one instruction that store to one cell \
        are a note, as the winner is one of them; so are plain stores of the same value and size. Strong accesses \
        of different sizes are taken to overlap completely. cp.async copies at once: a missing wait is not seen.",
    cases: &[
        "g01: two threads of a block write shared memory with no barrier between",
        "g05: a thread arrives at an mbarrier and reads before it has waited",
    ],
    help: &[
        "Put __syncthreads() between the two accesses; inside a loop usually a second one at its end.",
        "Within one warp: __syncwarp().",
        "With an mbarrier (cuda::barrier): wait for the phase before the access, arrive behind it.",
    ],
    source: "\
        launch-model 6; PTX ISA, Memory Consistency Model; CUDA C++ Programming Guide, Independent Thread \
        Scheduling",
};
