//! `progress/barrier`: a barrier that some live thread never reaches.

use crate::rules::RuleText;

/// What `hotfire explain progress/barrier` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Not all live threads of the block reach the barrier",
    models: "\
        A barrier waits for every thread that it counts, that of a cluster for all threads of its blocks. Threads that have exited count as arrived. \
        __syncthreads() is an aligned barrier: all threads of a warp must execute the same one together.",
    fires: "\
        Threads wait at a barrier while a live thread of the block that it counts waits elsewhere or for them and \
        never arrives; or an aligned barrier is executed by a part of a warp whose other lanes took another way.",
    misses: "Paths that this run's data did not take.",
    cases: &["g03: a barrier that not all live threads of the block, or of the cluster, reach"],
    help: &[
        "Move the barrier out of the condition, so that every thread executes it.",
        "\
            If only some threads take part: a named barrier with their number, or cooperative groups \
            (tiled_partition, coalesced_threads).",
    ],
    source: "launch-model 6; PTX ISA, bar and barrier; CUDA C++ Programming Guide, Synchronization Functions",
};
