//! `memory/uninitialised`: a load of bytes that nobody ever wrote.

use crate::rules::RuleText;

/// What `hotfire explain memory/uninitialised` prints.
pub const TEXT: RuleText = RuleText {
    summary: "A load reads memory that was never written",
    models: "\
        Fresh device memory, shared memory and local memory hold anything. A load counts as uninitialised only if \
        none of its bytes was ever set, so that padding copied with its struct is no fault.",
    fires: "\
        A load, an atomic or a copy to the host reads only bytes that no store, copy or set has written since \
        their allocation. When a reported race is the reason (the write comes, but is not ordered before), it is \
        attached to that race as a consequence.",
    misses: "Loads of which at least one byte was set. What a freed and reallocated range happened to hold.",
    cases: &["h06: an uninitialised read"],
    help: &[
        "\
            Set the memory before the first use: cudaMemset (in the same stream), or a store on every path that \
            leads to the load.",
        "For accumulators: start them at zero in the kernel that owns them.",
    ],
    source: "launch-model 6 (last policy), 9; CUDA C++ Programming Guide, Device Memory",
};
