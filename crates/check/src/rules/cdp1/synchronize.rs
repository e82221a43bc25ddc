//! `cdp1/synchronize`: device code that waits for its children.

use crate::rules::RuleText;

/// What `hotfire explain cdp1/synchronize` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Device code calls cudaDeviceSynchronize(), which does not exist under CDP2",
    models: "\
        The second dynamic parallelism has no way to wait for children inside a kernel. On an sm_90 device a \
        module whose code calls the device-side cudaDeviceSynchronize() fails to load with \
        cudaErrorSymbolNotFound.",
    fires: "A module with such a call is loaded. The finding names the kernels that call it, and where.",
    misses: "Nothing: the module is refused as a whole, whether or not the call would run.",
    cases: &["d22: a CDP1 module that calls device-side synchronise"],
    help: &[
        "\
            Split the kernel at the call: what comes after it becomes a continuation kernel, launched on \
            cudaStreamTailLaunch; the values that live across the call become its parameters.",
        "\
            A call inside a loop: move the loop to the host, to a conditional WHILE node of a graph, or to a tail \
            launch that launches itself again.",
    ],
    source: "launch-model 7; CUDA C++ Programming Guide, Dynamic Parallelism, CDP1 and CDP2",
};
