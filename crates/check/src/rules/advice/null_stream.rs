//! `advice/null-stream`: many threads of a block launch into its NULL stream.

use crate::rules::RuleText;

/// What `hotfire explain advice/null-stream` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Threads of one block launch into its NULL stream, so their grids run one after another",
    models: "\
        The NULL stream of device code is one queue a block: grids that its threads launch there run in order, \
        each waiting for the one before it.",
    fires: "\
        Many launches of one block lie in its NULL stream and touch nothing in common. The finding gives the \
        length of the chain.",
    misses: "Whether the order was meant for a reason other than memory.",
    cases: &["d18: 256 threads launch on the NULL stream"],
    help: &["\
            Launch with cudaStreamFireAndForget where the order does not matter, or into a named stream for each \
            independent chain."],
    source: "launch-model 3.2; CUDA C++ Programming Guide, Dynamic Parallelism, The Implicit (NULL) Stream",
};
