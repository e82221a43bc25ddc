//! `launch/pool`: launches dropped because the pool was full.

use crate::rules::RuleText;

/// What `hotfire explain launch/pool` prints.
pub const TEXT: RuleText = RuleText {
    summary: "Device launches were dropped because the launch pool was full",
    models: "\
        Every device launch holds a slot of the pool from the launch call until its grid is done, whether it runs \
        or waits; a queued tail launch holds its own. There are 2048 slots unless the host asks for more. The \
        next launch is dropped: the launching thread's last error becomes cudaErrorLaunchPendingCountExceeded and \
        nothing else tells. There is no overflow pool.",
    fires: "\
        A launch was dropped in the schedule that ran. The summary always prints the most slots that were held, \
        the most that any legal schedule could hold, and the limit to set.",
    misses: "\
        Launches that only another schedule would drop: a fast device frees slots early, so run --policy latest \
        too, or compare the worst case in the summary with the size. --pool N tries another size.",
    cases: &[
        "d07: 2,100 tail launches with the default pool",
        "d09: the same with every failure counted by its thread: only this rule",
        "d20: 4,000 fire-and-forget children under --policy latest",
    ],
    help: &[
        "\
            cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, N) on the host before the first launch; \
            read the limit back, as a request too large is silently lowered. A slot costs 8,200 bytes.",
        "Or launch fewer, larger grids.",
    ],
    source: "\
        launch-model 3.5; CUDA C++ Programming Guide, Dynamic Parallelism, cudaLimitDevRuntimePendingLaunchCount; \
        codes and sizes as measured on an H200",
};
