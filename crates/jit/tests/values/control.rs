//! Branches, loops, calls: where a thread goes, and how arguments and results travel.

use crate::harness::Code;

fn results(code: &Code, inputs: &[u64]) -> Vec<u64> {
    let cases: Vec<_> = inputs.iter().map(|&input| [input, 0, 0, 0]).collect();
    code.run(&cases).into_iter().map(|[result, _]| result).collect()
}

#[test]
fn guards_in_both_senses() {
    let text =
        ".reg .pred %p;\nsetp.gt.u32 %p, %a, 5;\nmov.u32 %d, 0;\n@%p add.u32 %d, %d, 1;\n@!%p add.u32 %d, %d, 2;";
    assert_eq!(results(&Code::new(text, &["u32"], &["u32"]), &[0, 5, 6, 9]), [2, 2, 1, 1]);
}

#[test]
fn a_loop_and_an_early_exit() {
    let text = ".reg .pred %p, %q;\nmov.u32 %d, 0;\n\
        L:\nsetp.eq.u32 %p, %a, 0;\n@%p bra E;\nadd.u32 %d, %d, %a;\nsub.u32 %a, %a, 1;\n\
        setp.gt.u32 %q, %d, 1000;\n@%q ret;\nbra L;\nE:";
    // The last thread leaves before it stores.
    assert_eq!(results(&Code::new(text, &["u32"], &["u32"]), &[0, 1, 10, 40, 100]), [0, 1, 55, 820, 0]);
}

#[test]
fn a_branch_by_index() {
    let text = "T: .branchtargets A, B, C;\nbrx.idx %a, T;\nA: mov.u32 %d, 10; bra E;\nB: mov.u32 %d, 20; bra E;\nC: mov.u32 %d, 30;\nE:";
    assert_eq!(results(&Code::new(text, &["u32"], &["u32"]), &[0, 1, 2, 1]), [10, 20, 30, 20]);
}

/// Registers that differ by the way on which a target is reached, the last one and one that is named twice among them.
#[test]
fn a_branch_by_index_where_registers_meet() {
    let text = "mov.u32 %d, 0;\nT: .branchtargets A, B, A, C;\nAGAIN: add.u32 %d, %d, 1;\nbrx.idx %a, T;\n\
        A: add.u32 %d, %d, 10;\nmov.u32 %a, 3;\nbra AGAIN;\nB: add.u32 %d, %d, 100;\nmov.u32 %a, 2;\nbra AGAIN;\nC: add.u32 %d, %d, 1000;";
    assert_eq!(results(&Code::new(text, &["u32"], &["u32"]), &[0, 1, 2, 3, 9]), [1012, 1113, 1012, 1001, 1001]);
}

#[test]
fn labels_of_scopes_are_their_own() {
    let scope = "{ .reg .pred %p; setp.lt.u32 %p, %d, 100; @%p bra L; sub.u32 %d, %d, 100; L: }\n";
    let text = format!("mov.u32 %d, %a;\n{scope}{scope}");
    assert_eq!(results(&Code::new(&text, &["u32"], &["u32"]), &[7, 107, 250]), [7, 7, 50]);
}

/// Each parameter at the next multiple of its alignment, a struct among them.
#[test]
fn parameters_and_results_in_memory() {
    let function = ".func (.param .b64 r) f(.param .b8 x, .param .align 8 .b8 s[12], .param .b16 y)\n{\n\
        .reg .b64 %l<4>;\n.reg .b32 %w;\n.reg .b16 %h<3>;\n\
        ld.param.u8 %h1, [x];\nld.param.u64 %l1, [s];\nld.param.u32 %w, [s+8];\nld.param.u16 %h2, [y];\n\
        cvt.u64.u16 %l2, %h1;\nadd.u64 %l1, %l1, %l2;\ncvt.u64.u32 %l2, %w;\nadd.u64 %l1, %l1, %l2;\n\
        cvt.u64.u16 %l2, %h2;\nadd.u64 %l1, %l1, %l2;\nst.param.b64 [r], %l1;\nret;\n}";
    let text = "{\n.reg .b16 %h;\n.param .b8 p0;\n.param .align 8 .b8 p1[12];\n.param .b16 p2;\n.param .b64 q;\n\
        mov.u16 %h, 3;\nst.param.b8 [p0], %h;\nst.param.b64 [p1], %a;\nst.param.b32 [p1+8], 40;\n\
        mov.u16 %h, 500;\nst.param.b16 [p2], %h;\ncall.uni (q), f, (p0, p1, p2);\nld.param.b64 %d, [q];\n}";
    let code = Code::with_functions(function, text, &["u64"], &["u64"]);
    assert_eq!(results(&code, &[0, 6000, 1 << 40]), [543, 6543, (1 << 40) + 543]);
}

/// An unused parameter keeps its place.
#[test]
fn parameters_and_results_in_registers() {
    let function = ".func (.reg .b32 %out) f(.reg .b32 %unused, .reg .b32 %b, .reg .b32 %c)\n{\n\
        .reg .b32 %x;\nmov.u32 %x, 1;\nadd.u32 %out, %c, %x;\nsub.u32 %out, %out, %b;\nret;\n}";
    let text = ".reg .b32 %r;\nmov.u32 %r, 100;\ncall (%d), f, (%r, %r, %a);";
    let code = Code::with_functions(function, text, &["u32"], &["u32"]);
    assert_eq!(results(&code, &[100, 300, 99]), [1, 201, 0]);
}

#[test]
fn recursion() {
    let function = ".func (.param .b32 r) f(.param .b32 n)\n{\n.reg .b32 %r<4>;\n.reg .pred %p;\n\
        ld.param.u32 %r1, [n];\nsetp.eq.u32 %p, %r1, 0;\nmov.u32 %r2, 0;\n@%p bra E;\n\
        {\n.param .b32 a;\n.param .b32 q;\nsub.u32 %r3, %r1, 1;\nst.param.b32 [a], %r3;\ncall (q), f, (a);\n\
        ld.param.b32 %r2, [q];\n}\nadd.u32 %r2, %r2, %r1;\nE:\nst.param.b32 [r], %r2;\nret;\n}";
    let text = "{\n.param .b32 a;\n.param .b32 q;\nst.param.b32 [a], %a;\ncall (q), f, (a);\nld.param.b32 %d, [q];\n}";
    assert_eq!(results(&Code::with_functions(function, text, &["u32"], &["u32"]), &[0, 1, 10, 100]), [0, 1, 55, 5050]);
}
