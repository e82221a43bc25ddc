//! `memory/freed`: memory that was freed, or may be.

use crate::rules::RuleText;

/// What `hotfire explain memory/freed` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Memory is used after it was freed, or freed while work may still use it",
    models: "\
        cudaFree ends an allocation when it is called, cudaFreeAsync in the order of its stream. An access that \
        is not ordered before the free may come after it. cudaFree may block, but a program may not rely on it to \
        order anything.",
    fires: "\
        Device work, a copy or the host touches an allocation after its free, or a free is not ordered with work \
        of another stream that still uses the memory. Freed memory stays in quarantine, so a later allocation \
        does not hide the fault at once.",
    misses: "A use after free so late that the quarantine has given the memory to a new allocation.",
    cases: &["h05: cudaFreeAsync in one stream while another still reads; a use after cudaFree"],
    help: &[
        "Synchronise with the last user before the free, or free in its stream: cudaFreeAsync(p, last_users_stream).",
        "Across streams: record an event behind the last use and let the freeing stream wait for it.",
    ],
    source: "launch-model 2.5; CUDA Runtime API, Stream Ordered Memory Allocator",
};
