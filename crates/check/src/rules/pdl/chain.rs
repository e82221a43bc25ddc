//! `pdl/chain`: a wait that is relied on for more than the grid in front.

use crate::rules::RuleText;

/// What `hotfire explain pdl/chain` prints.
pub const TEXT: RuleText = RuleText {
    summary: "A kernel relies on its wait for the results of a grid further up the chain",
    models: "\
        In a chain A, B, C of programmatic launches C's wait covers, by the documents, its direct prerequisite B. \
        When B did not wait for A, nothing documented says that A is complete. An H200 waited for A too, as grids \
        of a stream complete in order; a program should not build on that.",
    fires: "C waits and touches what A wrote, and B executed no wait of its own.",
    misses: "Chains in which B's wait ran in this schedule on some blocks only by a condition on data.",
    cases: &["l07: B never waits; C waits and reads what A wrote"],
    help: &[
        "Let B call cudaGridDependencySynchronize() too, before it ends.",
        "Or launch C without the attribute: a normal launch is ordered behind everything before it.",
    ],
    source: "launch-model 4.8; CUDA C++ Programming Guide, Programmatic Dependent Launch and Synchronization",
};
