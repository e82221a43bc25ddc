//! `memory/bounds`: outside of every allocation, or beyond the end of one.

use crate::rules::RuleText;

/// What `hotfire explain memory/bounds` prints.
pub const TEXT: RuleText = RuleText {
    summary: "An access lies outside of any allocation",
    models: "\
        Device code may touch bytes of live allocations, of its module's variables, of its block's shared memory, \
        its own local memory and registered host memory. Anything else is a fault: on hardware an illegal address \
        where pages end, or silent damage where they do not.",
    fires: "\
        A load, store, atomic, copy or set touches a byte that belongs to no allocation, or begins in one and \
        ends behind it. Red zones around allocations make an index that is off by one visible. Null pointers \
        count.",
    misses: "\
        An index so wrong that it lands inside another live allocation; and indices wrong within one allocation \
        (a row too far in a matrix).",
    cases: &["h06: out of bounds by one", "d16: a write through the null pointer that a full device heap returned"],
    help: &[
        "Guard the access with the number of elements: if (i < n).",
        "Check that the size of the allocation is in bytes and the index in elements.",
    ],
    source: "launch-model 2.1, 6; CUDA Runtime API, cudaErrorIllegalAddress",
};
