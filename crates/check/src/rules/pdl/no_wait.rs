//! `pdl/no-wait`: a programmatically launched kernel with no wait in its code.

use crate::rules::RuleText;

/// What `hotfire explain pdl/no-wait` prints.
pub const TEXT: RuleText = RuleText {
    summary: "A kernel launched with the programmatic attribute contains no cudaGridDependencySynchronize()",
    models: "\
        The attribute permits the kernel to start before the grid in front of it is complete. Only the wait in \
        the kernel orders it behind that grid. A kernel with none relies on a fence before the trigger at best, \
        and on luck otherwise.",
    fires: "\
        The PTX that can be reached from the kernel has no griddepcontrol.wait. check says so beside a race of \
        that kernel, or where the primary's fence before its trigger is all that orders the data; check \
        --lint says so at every such launch, lint of a file where a kernel triggers and cannot wait.",
    misses: "Kernels with a wait on some paths: see race/pdl for the paths without it.",
    cases: &[
        "l01: the secondary never waits and reads the primary's output",
        "l08: fence, then trigger, then a reader that does not wait (\"relies on the fence\")",
        "l10: no wait and no shared data: check is silent, lint is not",
        "l13: the same over an edge of a captured graph",
    ],
    help: &["\
            Put cudaGridDependencySynchronize() at the top of the kernel, or just before the first access to \
            memory of an earlier grid."],
    source: "launch-model 4.3, 4.5, 4.7, 9; PTX ISA, griddepcontrol",
};
