//! Kernels whose threads run in pairs: each thread goes its own way, whatever its neighbour does.

use crate::harness::{Code, Inputs, LOOP, random};

fn run(text: &str, cases: &[Inputs]) -> Vec<u64> {
    let text = format!("{LOOP}{text}");
    Code::new(&text, &["u64"], &["u64", "u64"]).run(cases).into_iter().map(|[result, _]| result).collect()
}

fn numbers(values: &[u64]) -> Vec<Inputs> {
    values.iter().map(|&value| [value, 3, 0, 0]).collect()
}

#[test]
fn loops_of_different_lengths() {
    let text = ".reg .pred %p;\nmov.u64 %d, 1;\nL:\nmul.lo.u64 %d, %d, %b;\nsub.u64 %a, %a, 1;\nsetp.ne.u64 %p, %a, 0;\n@%p bra L;";
    let values = [1, 2, 3, 4, 4, 4, 9, 1, 1, 7, 5];
    let expected: Vec<u64> = values.iter().map(|&value| 3u64.pow(value as u32)).collect();
    assert_eq!(run(text, &numbers(&values)), expected);
}

#[test]
fn branches_in_both_senses_and_early_ends() {
    let text = ".reg .pred %p, %q;\nst.u64 [%at+32], 5;\nsetp.gt.u64 %p, %a, 10;\nsetp.eq.u64 %q, %a, 7;\n@%q ret;\n\
        @!%p bra SMALL;\nmov.u64 %d, 100;\nbra E;\nSMALL:\nmov.u64 %d, 200;\nE:\n@%p add.u64 %d, %d, 1;\n@!%p add.u64 %d, %d, 2;";
    let values = [1, 2, 20, 30, 1, 20, 20, 1, 7, 7, 7, 1, 20, 7, 7];
    let expected = values.map(|value| match value {
        7 => 5,
        11.. => 101,
        _ => 202,
    });
    assert_eq!(run(text, &numbers(&values)), expected);
}

#[test]
fn threads_know_who_they_are() {
    // Also where the device would be asked: the lane.
    let text = ".reg .pred %p;\n.reg .b32 %who, %l;\nmov.u32 %who, %tid.x;\nmov.u32 %l, %laneid;\nmad.lo.u32 %who, %l, 1000, %who;\n\
        setp.eq.u64 %p, %a, 1;\n@%p bra E;\nmov.u32 %l, %laneid;\nadd.u32 %who, %who, %l;\nE:\ncvt.u64.u32 %d, %who;";
    let values: Vec<u64> = (0..77).map(|n| n * n % 5).collect();
    let expected = values.iter().enumerate().map(|(n, value)| {
        let (n, lane) = (n as u64, n as u64 % 32);
        lane * 1000 + n + if *value == 1 { 0 } else { lane }
    });
    assert_eq!(run(text, &numbers(&values)), expected.collect::<Vec<_>>());
}

#[test]
fn what_a_thread_never_set_is_zero_and_not_another_threads() {
    let text =
        ".reg .pred %p;\n.reg .b64 %x;\nsetp.eq.u64 %p, %a, 0;\n@!%p bra E;\nmov.u64 %x, 7;\nE:\nmov.u64 %d, %x;";
    assert_eq!(run(text, &numbers(&[0, 1, 0, 0, 1, 1, 1, 0, 1])), [7, 0, 7, 7, 0, 0, 0, 7, 0]);
}

#[test]
fn registers_of_every_width_go_with_their_thread() {
    let text = ".reg .pred %p, %q;\n.reg .b16 %h;\n.reg .f32 %f;\n.reg .f64 %g;\n.reg .b64 %x;\n.reg .b128 %w;\n\
        cvt.u16.u64 %h, %a;\ncvt.rn.f32.u16 %f, %h;\ncvt.rn.f64.u16 %g, %h;\nmov.b128 %w, {%a, %b};\nsetp.gt.u64 %p, %a, %b;\n\
        and.b64 %x, %a, 1;\nsetp.eq.u64 %q, %x, 1;\n@%q bra E;\nadd.u64 %b, %b, 1;\nE:\n\
        mov.b128 {%x, %d}, %w;\nxor.b64 %d, %d, %x;\ncvt.u64.u16 %x, %h;\nadd.u64 %d, %d, %x;\ncvt.rzi.u64.f32 %x, %f;\n\
        add.u64 %d, %d, %x;\ncvt.rzi.u64.f64 %x, %g;\nadd.u64 %d, %d, %x;\nselp.b64 %x, 1, 0, %p;\nadd.u64 %d, %d, %x;\nadd.u64 %d, %d, %b;";
    let mut state = 1;
    let cases: Vec<Inputs> = (0..40).map(|_| [random(&mut state), random(&mut state), 0, 0]).collect();
    let expected = |&[a, b, ..]: &Inputs| {
        (a ^ b).wrapping_add(3 * (a & 0xffff)).wrapping_add(u64::from(a > b)).wrapping_add(b).wrapping_add(1 - (a & 1))
    };
    assert_eq!(run(text, &cases), cases.iter().map(expected).collect::<Vec<_>>());
}
