//! `progress/spin`: a thread that polls for something the contract does not promise.

use crate::rules::RuleText;

/// What `hotfire explain progress/spin` prints.
pub const TEXT: RuleText = RuleText {
    summary: "A thread spins on memory that only an agent with no promised progress would write",
    models: "\
        A child is sure to start only once its parent's threads are done; a parent that polls for its child's \
        write may poll for ever. The same holds for a child that polls for a later write of its parent, for \
        siblings that poll each other, and for a grid that polls its own tail.",
    fires: "\
        Either every thread that can run only re-reads memory that does not change, nothing can start or finish, \
        and no host thread can act: the finding names the cycle of who waits for whom. Or a spin of two or more \
        re-reads was ended only by a write of an agent whose progress was not promised yet (child, sibling, tail, \
        a later write of the parent): it worked by luck.",
    misses: "\
        A loop that leaves by a bound of its own is silent, and so is a wait that happened to be fulfilled before \
        its first re-read: try --policy latest. A device that polls host memory is at fault only when every host \
        thread is blocked in a CUDA call.",
    cases: &["d11: a parent polls a flag that its child sets; a child polls its parent; two siblings poll each other"],
    help: &[
        "\
            Do not wait: move what follows the wait into a tail launch (cudaStreamTailLaunch), which starts when \
            the grid and all its other work are done.",
        "For siblings: one grid, or an order between them in one stream.",
    ],
    source: "launch-model 3.1.2, 2.4, 9; CUDA C++ Programming Guide, Dynamic Parallelism, Parent and Child Grids",
};
