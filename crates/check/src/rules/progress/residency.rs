//! `progress/residency`: waiting for a block that cannot be resident.

use crate::rules::RuleText;

/// What `hotfire explain progress/residency` prints.
pub const TEXT: RuleText = RuleText {
    summary: "A block waits for a block that can only start when the waiting one has ended",
    models: "\
        Only resident blocks make progress. A grid larger than the device holds has blocks that start only when \
        others exit. That all blocks of a grid are resident is promised to cooperative launches alone (their size \
        is checked), and within a cluster.",
    fires: "\
        A block waits for a higher-numbered block of its grid, and the grid does not fit the empty device. \
        Waiting for a lower-numbered block (as a decoupled look-back scan does), or within a grid that fits, is \
        no fault.",
    misses: "\
        Grids that fit this device and not a smaller one. --block-order random shows code that relies on the \
        order in which blocks start.",
    cases: &["g02: a home-made grid barrier with more blocks than fit"],
    help: &[
        "\
            Launch with cudaLaunchCooperativeKernel and use cooperative_groups::this_grid().sync(), with at most \
            the blocks that cudaOccupancyMaxActiveBlocksPerMultiprocessor allows.",
        "Or split the kernel at the barrier: two launches of one stream.",
    ],
    source: "launch-model 2.6; CUDA C++ Programming Guide, Cooperative Groups, Grid Synchronization",
};
