//! `api/unchecked`: an error that the host never looked at.

use crate::rules::RuleText;

/// What `hotfire explain api/unchecked` prints.
pub const TEXT: RuleText = RuleText {
    summary: "A CUDA call failed, its error was never looked at, and later calls fail because of it",
    models: "\
        Errors of a launch come back from the launch call or from a later call, and faults of a grid stay with \
        the context: every later call answers the same error until the context is gone.",
    fires: "\
        A call of the host answers an error, the program goes on without reading it (the answer itself or \
        cudaGetLastError()), and later calls fail.",
    misses: "\
        Answers that were stored and never tested: the device cannot see what a program does with a returned \
        value, only whether it asks for the last error or goes on calling.",
    cases: &["h07: an error of an API call never looked at, and later calls fail"],
    help: &["Compare the result of every call with cudaSuccess, and call cudaGetLastError() after each launch."],
    source: "launch-model 2.1; CUDA C++ Programming Guide, Error Checking",
};
