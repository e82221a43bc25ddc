//! `stream/special`: events on fire-and-forget and tail streams.

use crate::rules::RuleText;

/// What `hotfire explain stream/special` prints.
pub const TEXT: RuleText = RuleText {
    summary: "An event is recorded on, or awaited by, the fire-and-forget or tail stream",
    models: "\
        cudaStreamFireAndForget and cudaStreamTailLaunch are names for two ways of launching, not queues that \
        events could mark. Recording or waiting there answers cudaErrorInvalidValue and does nothing.",
    fires: "Device code calls cudaEventRecord or cudaStreamWaitEvent with one of the two handles.",
    misses: "Whether the program looks at the returned error: the call is reported either way, as it never does anything.",
    cases: &["d13: an event recorded on the tail stream, return code ignored"],
    help: &[
        "Use a named stream: cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking).",
        "\
            For work that must come after everything else of the grid, put it into the tail stream itself: tails \
            run in launch order.",
    ],
    source: "launch-model 3.2; CUDA C++ Programming Guide, Dynamic Parallelism, The Tail Launch Stream",
};
