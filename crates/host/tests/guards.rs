//! What must not compile: each file of `compile-fail/` breaks one rule of the launch model, and its `.stderr` is the compiler's answer.
//!
//! `TRYBUILD=overwrite` writes the answers again.

#[test]
fn broken_rules_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile-fail/*.rs");
}
