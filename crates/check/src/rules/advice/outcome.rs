//! `advice/outcome`: memory that differs from schedule to schedule.

use crate::rules::RuleText;

/// What `hotfire explain advice/outcome` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Memory at a synchronisation point depends on the schedule, for no reason that the program shows",
    models: "\
        With --outcome the memory that the host could see at its synchronisation points is compared between \
        schedules. A difference is expected where a value came from an atomic's result or accumulation, a clock, \
        printf or an allocator's address. Anywhere else it hints at an order that the program relies on.",
    fires: "\
        Under two schedules the first differing byte of an allocation has no such value in its history. The \
        finding names the allocation and the byte, and a replay token for each side.",
    misses: "Differences that cancel out before the next synchronisation point, and schedules that were not tried.",
    cases: &[],
    help: &["Look for the two grids that write the byte, and order them; --replay shows each side again."],
    source: "launch-model 2, 3.2; Hotfire's own rule",
};
