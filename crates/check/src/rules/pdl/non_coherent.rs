//! `pdl/non-coherent`: data that an earlier grid writes, read through the non-coherent path.

use crate::rules::RuleText;

/// What `hotfire explain pdl/non-coherent` prints.
pub const TEXT: RuleText = RuleText {
    summary: "\
        Data that the primary writes is read by ld.global.nc in a kernel that may start before the primary is \
        complete",
    models: "\
        ld.global.nc (made by nvcc from const __restrict__, and by __ldg) may only be used for data that is \
        read-only for the whole life of the kernel. A kernel that started early was alive when the primary wrote: \
        even behind the wait, the cache may hold the old value.",
    fires: "\
        A programmatically launched kernel reads by ld.global.nc, behind its wait, a byte that the primary wrote. \
        Before the wait it is a race (race/pdl). Data written before the primary is fine.",
    misses: "Loads that another version of the compiler would make non-coherent.",
    cases: &["l09: a const __restrict__ input that the primary writes, read behind the wait"],
    help: &["Drop const __restrict__ (or __ldg) for inputs that the kernel in front writes."],
    source: "launch-model 4.11; PTX ISA, ld.global.nc",
};
