//! `stream/foreign`: a handle of another grid.

use crate::rules::RuleText;

/// What `hotfire explain stream/foreign` prints.
pub const TEXT: RuleText = RuleText {
    summary: "A stream or event handle is used by a grid that did not create it",
    models: "\
        A stream or event created in device code belongs to the grid that created it; any thread of that grid may \
        use it. In a parent, a child, a sibling or on the host it is undefined, and so is a host's stream or \
        event on the device.",
    fires: "Device code launches into, records, waits for or destroys a handle that another grid or the host created.",
    misses: "Nothing that ran: every use of a handle is compared with its creator.",
    cases: &["d12: a stream created in the parent and used in the child; an event likewise"],
    help: &[
        "\
            Create the stream or event with cudaStreamCreateWithFlags(…, cudaStreamNonBlocking) or \
            cudaEventCreateWithFlags(…, cudaEventDisableTiming) in the grid that uses it.",
        "To order a child's work behind its parent's, use a tail launch instead of a handle.",
    ],
    source: "launch-model 3.2; CUDA C++ Programming Guide, Dynamic Parallelism, Streams; Events",
};
