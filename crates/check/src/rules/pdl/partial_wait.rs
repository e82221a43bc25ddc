//! `pdl/partial-wait`: only some threads of the block wait.

use crate::rules::RuleText;

/// What `hotfire explain pdl/partial-wait` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Some threads of the block wait for the primary, the racing one does not",
    models: "\
        griddepcontrol.wait blocks and orders the thread that executes it. The other threads of its block are \
        ordered only by a barrier that comes after it.",
    fires: "The racing thread executed no wait, while another thread of its block did.",
    misses: "Blocks in which nobody waited: that is race/pdl, with pdl/no-wait if the kernel has no wait at all.",
    cases: &["l04: only warp 0 waits, the others read with no barrier"],
    help: &["\
            Let every thread call cudaGridDependencySynchronize(), or put __syncthreads() behind the wait and \
            before the first access."],
    source: "launch-model 4.4, 9; PTX ISA, griddepcontrol",
};
