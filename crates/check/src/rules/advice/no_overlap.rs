//! `advice/no-overlap`: a programmatic launch that cannot start early.

use crate::rules::RuleText;

/// What `hotfire explain advice/no-overlap` prints.
pub const TEXT: RuleText = RuleText {
    summary: "A programmatic launch gains nothing: it cannot overlap with the grid before it",
    models: "\
        An early start needs the attribute on the secondary, a kernel (no copy or memset) directly in front, and \
        a trigger in the primary; without a trigger the start is at the primary's end.",
    fires: "\
        The attribute is set and a copy or memset stands between the two kernels, or the primary never triggers; \
        or one launch of a chain lacks the attribute that the others have.",
    misses: "Whether an overlap would be any faster.",
    cases: &[
        "l12: a memset between primary and secondary; the attribute missing on one of three launches",
        "q06: the primary never triggers",
    ],
    help: &["\
            Move the copy or memset away from between the two, set the attribute on every launch of the chain, \
            and call cudaTriggerProgrammaticLaunchCompletion() in the primary once its blocks no longer need the \
            device to themselves."],
    source: "\
        launch-model 4.1 to 4.3, 4.10; CUDA C++ Programming Guide, Programmatic Dependent Launch and \
        Synchronization",
};
