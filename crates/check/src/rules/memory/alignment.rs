//! `memory/alignment`: an address that is no multiple of the access's size.

use crate::rules::RuleText;

/// What `hotfire explain memory/alignment` prints.
pub const TEXT: RuleText = RuleText {
    summary: "An access is not aligned to its size",
    models: "\
        Every load and store must lie at a multiple of its size; vectors (float4: 16 bytes) at a multiple of the \
        whole vector's size. Hardware answers cudaErrorMisalignedAddress and the context is lost.",
    fires: "Device code loads, stores or updates at an address that the instruction's size does not divide.",
    misses: "\
        Casts whose result happened to be aligned in this run, such as a row pitch that is odd only for other \
        widths.",
    cases: &["h06: a misaligned vector load"],
    help: &["\
            Pad rows and structs (__align__(16)), use cudaMallocPitch for rows, or access the elements one by one \
            where the base may be odd."],
    source: "launch-model 2.1; CUDA C++ Programming Guide, Device Memory Accesses, Size and Alignment Requirement",
};
