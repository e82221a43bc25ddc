//! `memory/heap`: a device-side malloc that failed, unchecked.

use crate::rules::RuleText;

/// What `hotfire explain memory/heap` prints.
pub const TEXT: RuleText = RuleText {
    summary: "malloc in device code returned null and the result was used or passed on unchecked",
    models: "\
        malloc, new and cudaMalloc in device code take from one heap of a fixed size (8 MiB unless the host sets \
        cudaLimitMallocHeapSize). When it is full they return null; no error is set anywhere else.",
    fires: "\
        An allocation fails and the thread does not look at the pointer: it is written through, or given to a \
        child. The write itself is reported as memory/bounds.",
    misses: "\
        Allocations that failed under another schedule only: how full the heap is depends on which blocks run at \
        the same time.",
    cases: &["d16: 64 KiB a thread until the heap is full, result unchecked, passed to a child"],
    help: &[
        "Test the pointer for null in the thread that got it.",
        "Set the heap's size before the first launch: cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes).",
        "Or let the host allocate once, and hand out slices.",
    ],
    source: "launch-model 2.7; CUDA C++ Programming Guide, Dynamic Global Memory Allocation and Operations",
};
