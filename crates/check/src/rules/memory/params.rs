//! `memory/params`: a parameter buffer that was filled at wrong offsets.

use crate::rules::RuleText;

/// What `hotfire explain memory/params` prints.
pub const TEXT: RuleText = RuleText {
    summary: "The parameter buffer of a device launch was not filled as the kernel reads it",
    models: "\
        Code that calls the device launch API by itself gets a buffer and stores the parameters there. Each \
        parameter lies at the next multiple of its alignment (the guide's text says size, which is wrong for \
        structs).",
    fires: "\
        The kernel reads a parameter of which no byte was stored, or bytes were stored where the kernel has no \
        parameter.",
    misses: "Values stored at the right offsets with the wrong meaning: two pointers exchanged.",
    cases: &["d21: a child whose buffer was filled at wrong offsets through the device launch API"],
    help: &[
        "Let the compiler do it: kernel<<<grid, block, shared, stream>>>(arguments).",
        "Else advance to a multiple of alignof(T), store, advance by sizeof(T), for each parameter in turn.",
    ],
    source: "\
        launch-model 3.7; CUDA C++ Programming Guide, Dynamic Parallelism, Device-Side Launch from PTX, Parameter \
        Buffer Layout",
};
