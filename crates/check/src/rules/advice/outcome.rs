//! `advice/outcome`: memory that differs from schedule to schedule.

use crate::rules::RuleText;

/// What `hotfire explain advice/outcome` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Memory at a synchronisation point depends on the schedule, for no reason that the program shows",
    models: "\
        With --outcome memory is compared between schedules wherever the host synchronises: all bytes that were \
        last written by what the host has synchronised with. A difference is expected where a value came from an \
        atomic's result or accumulation, a clock, printf or an allocator's address, or where a race is reported. \
        Anywhere else it hints at an order that the program relies on: volatile stores of two blocks to one place, \
        a look at what another stream publishes.",
    fires: "\
        Under two schedules the first differing byte of an allocation has no such value in its history. The \
        finding names the allocation and the byte, and a replay token for each side.",
    misses: "\
        Differences that cancel out before the next synchronisation point, and schedules that were not tried. Values \
        are followed roughly: all that a thread stores after it got a result of an atomic or read a clock is left out, \
        and so is all that host code submits after it could read such a value, or asked how far the device is \
        (cudaEventQuery, cudaStreamQuery, cudaEventElapsedTime). Sums of integers by atomics are compared, those of \
        floats are not. Memory of the device's heap is left out, and so is what differs between two runs of one \
        schedule (a program that looks at the time of day).",
    cases: &[
        "tests/outcome/differs: two blocks, two streams, two children that store to one word; an early look; a mark \
         beside a counter",
        "tests/outcome/same: tickets, sums of floats, clocks, addresses, a lock, a counter that is watched, votes",
    ],
    help: &["Look for the two grids that write the byte, and order them; --replay shows each side again."],
    source: "launch-model 2, 3.2; Hotfire's own rule",
};
