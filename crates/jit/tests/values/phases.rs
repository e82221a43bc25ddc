//! Kernels that meet at barriers: what each thread needs behind one is what it had before.

use crate::harness::{Code, Inputs, random};

/// Runs a kernel that must run in phases; the first result of each thread.
fn run(text: &str, cases: &[Inputs]) -> Vec<u64> {
    let code = Code::new(text, &["u64"], &["u64", "u64"]);
    assert!(code.in_phases(), "{text}");
    code.run(cases).into_iter().map(|[result, _]| result).collect()
}

fn numbers(count: u64) -> Vec<Inputs> {
    (0..count).map(|n| [n, 100 + n, 0, 0]).collect()
}

#[test]
fn threads_see_what_others_wrote_before_the_barrier() {
    // Each thread leaves its number in its own case, and reads the next thread's; the last one reads its own.
    let text = ".reg .pred %last;\nst.u64 [%at+16], %a;\nbar.sync 0;\nsetp.eq.u64 %last, %a, 9;\n\
        ld.u64 %d, [%at+16];\n@!%last ld.u64 %d, [%at+64];";
    let found = run(text, &numbers(10));
    assert_eq!(found, [1, 2, 3, 4, 5, 6, 7, 8, 9, 9]);
}

#[test]
fn in_loops_under_guards_and_in_branches() {
    let text = ".reg .pred %p, %q;\n.reg .b64 %n, %s;\nmov.u64 %n, 0;\nmov.u64 %s, %b;\n\
        L:\nand.b64 %d, %n, 1;\nsetp.eq.u64 %q, %d, 0;\n@%q bar.sync 1;\n@%q bra E;\n\
        bar.sync 1;\nadd.u64 %s, %s, %a;\nE:\nadd.u64 %n, %n, 1;\nsetp.lt.u64 %p, %n, 8;\n@%p bra L;\nmov.u64 %d, %s;";
    assert_eq!(run(text, &numbers(5)), [100, 105, 110, 115, 120]);
}

#[test]
fn threads_that_have_ended_hold_nobody_up() {
    // Thread n ends before its round n.
    let text = ".reg .pred %p;\n.reg .b64 %n;\nmov.u64 %n, 0;\nmov.u64 %d, 0;\nL:\nst.u64 [%at+32], %n;\nsetp.eq.u64 %p, %n, %a;\n\
        @%p ret;\nbar.sync 0;\nadd.u64 %n, %n, 1;\nbra L;";
    assert_eq!(run(text, &numbers(6)), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn registers_of_every_width_are_kept() {
    let text = ".reg .pred %p;\n.reg .b16 %h;\n.reg .b32 %r, %s;\n.reg .b64 %x;\n.reg .f32 %f;\n.reg .f64 %g;\n.reg .b128 %w;\n\
        cvt.u16.u64 %h, %a;\ncvt.u32.u64 %r, %b;\ncvt.rn.f32.u16 %f, %h;\ncvt.rn.f64.u32 %g, %r;\nmov.b128 %w, {%a, %b};\n\
        setp.gt.u64 %p, %a, %b;\nbar.sync 0;\nmov.b128 {%x, %d}, %w;\nxor.b64 %d, %d, %x;\ncvt.u64.u16 %x, %h;\nadd.u64 %d, %d, %x;\n\
        cvt.u64.u32 %x, %r;\nadd.u64 %d, %d, %x;\ncvt.rzi.u64.f32 %x, %f;\nadd.u64 %d, %d, %x;\ncvt.rzi.u64.f64 %x, %g;\nadd.u64 %d, %d, %x;\n\
        selp.b64 %x, 1, 0, %p;\nadd.u64 %d, %d, %x;";
    let mut state = 1;
    let cases: Vec<Inputs> = (0..20).map(|_| [random(&mut state), random(&mut state), 0, 0]).collect();
    let expected = |&[a, b, ..]: &Inputs| {
        let (h, r) = (a & 0xffff, b & 0xffff_ffff);
        (a ^ b).wrapping_add(2 * h + 2 * r + u64::from(a > b))
    };
    assert_eq!(run(text, &cases), cases.iter().map(expected).collect::<Vec<_>>());
}

#[test]
fn what_a_thread_never_set_is_zero_and_not_another_threads() {
    let text =
        ".reg .pred %p;\n.reg .b64 %x, %z;\nsetp.eq.u64 %p, %a, 0;\n@%p mov.u64 %x, 7;\nbar.sync 0;\nmov.u64 %d, %x;";
    assert_eq!(run(text, &numbers(3)), [7, 0, 0]);
}

/// Threads at barriers of different numbers do not meet, counted ones take some only, and a variable on a thread's stack goes with it.
#[test]
fn other_kernels_keep_their_stacks() {
    for text in [
        "bar.sync 0;\nbar.sync 1;\nmov.u64 %d, %a;",
        "bar.sync 0, 32;\nmov.u64 %d, %a;",
        "bar.arrive 0, 32;\nmov.u64 %d, %a;",
        ".local .b64 x;\nst.local.u64 [x], %a;\nbar.sync 0;\nld.local.u64 %d, [x];",
        ".reg .b32 %u;\nbar.sync 0;\nactivemask.b32 %u;\nmov.u64 %d, %a;",
        "add.cc.u64 %d, %a, %b;\nbar.sync 0;\naddc.u64 %d, %a, %b;",
    ] {
        assert!(!Code::new(text, &["u64"], &["u64", "u64"]).in_phases(), "{text}");
    }
}
