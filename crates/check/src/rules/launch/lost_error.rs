//! `launch/lost-error`: a launch that failed where nobody looked.

use crate::rules::RuleText;

/// What `hotfire explain launch/lost-error` prints.
pub const TEXT: RuleText = RuleText {
    summary: "A device launch failed and the launching thread never read its error: the work is lost",
    models: "\
        A device launch that fails is dropped. Only the launching thread's last error knows; another thread never \
        sees it and the host is not told. cudaGetLastError() in that thread reads and clears it; \
        cudaPeekAtLastError() reads it and leaves it.",
    fires: "\
        A thread ends with a failed launch whose error it never read by cudaGetLastError(). The finding says how \
        many launches were lost, which threads lost them, and why they failed: the launch pool was full \
        (launch/pool), or the configuration is impossible (launch/config).",
    misses: "\
        Errors that were read and then ignored: the rule knows that the thread looked, not what it did then. \
        Launches that would fail only under another schedule or a smaller pool: try --policy latest and --pool N; \
        the summary names the worst case.",
    cases: &[
        "d07: 2,100 tail launches from one thread with the default pool: 52 are lost",
        "d10: a child with 2,048 threads a block",
        "d20: 4,000 short fire-and-forget children, when they are started late",
    ],
    help: &[
        "Read cudaGetLastError() in the launching thread after the launch, and count or handle the failure there.",
        "\
            If the pool was full: cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, N) on the host before \
            the first launch, with the N that the summary names.",
    ],
    source: "launch-model 3.5.2, 3.6; CUDA C++ Programming Guide, Dynamic Parallelism, API Errors and Launch Failures",
};
