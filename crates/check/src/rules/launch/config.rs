//! `launch/config`: a device launch with an impossible configuration.

use crate::rules::RuleText;

/// What `hotfire explain launch/config` prints.
pub const TEXT: RuleText = RuleText {
    summary: "A device launch has a configuration that no device accepts",
    models: "\
        A launch with no threads, more than 1024 threads a block, a grid beyond the limits or more shared memory \
        than a block may have sets the launching thread's last error to cudaErrorInvalidConfiguration. Nothing \
        runs; later launches of the thread work.",
    fires: "\
        A thread of a grid makes such a launch. Launches from the host are not this rule's: their call answers \
        the error itself.",
    misses: "Configurations computed from data that this run did not see.",
    cases: &["d10: a child with 2,048 threads a block"],
    help: &[
        "\
            Keep the block at 1024 threads or fewer and its shared memory within the limit (more than 48 KiB \
            needs cudaFuncSetAttribute on the host); launch nothing when there is no work.",
        "Read cudaGetLastError() in the launching thread.",
    ],
    source: "launch-model 3.6; CUDA C++ Programming Guide, Compute Capabilities",
};
