//! `advice/storm`: many launches with little work each.

use crate::rules::RuleText;

/// What `hotfire explain advice/storm` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Many device launches with very little work each",
    models: "\
        A launch costs far more than a few hundred instructions. One child for each thread with a handful of \
        elements costs more in launches, and in slots of the pool, than in work.",
    fires: "\
        A place in device code makes many launches whose grids execute little. The finding says how many, and the \
        measured work per launch.",
    misses: "Whether the launches matter for the time of the whole program.",
    cases: &["d17: one child per thread for eight elements of work, 10,000 of them"],
    help: &["\
            Launch only above a threshold of work and do the rest in the thread; or collect the work of a block \
            and let one thread launch one grid for it."],
    source: "launch-model 3.5; CUDA C++ Programming Guide, Dynamic Parallelism, Performance",
};
