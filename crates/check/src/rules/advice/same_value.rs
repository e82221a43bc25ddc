//! `advice/same-value`: several threads store one value to one cell.

use crate::rules::RuleText;

/// What `hotfire explain advice/same-value` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Several threads store the same value to one cell by plain stores",
    models: "\
        Strictly two plain stores with no order are a race, whatever they store. Every device stores one of them, \
        so with equal values and sizes the result is the same, and the pattern (a found flag, say) is common and \
        works.",
    fires: "\
        Two unordered plain stores of the same value and size meet on the same bytes; or lanes of one instruction \
        store different values to one cell, where the winner is one of them.",
    misses: "Equal stores of different sizes, or that overlap only partly: those are races.",
    cases: &["g04: many threads store the same value to one flag"],
    help: &["Say what is meant: atomicExch, or cuda::atomic_ref with memory_order_relaxed. Or let one thread store."],
    source: "launch-model 6; PTX ISA, Memory Consistency Model",
};
