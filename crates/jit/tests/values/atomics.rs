//! `atom`: the value before and the memory after, of every operation in its types.

use crate::harness::{Code, Inputs, interesting, width};

/// Old value and operand (and the new value of `cas`), to the new contents.
type Model = fn(u64, u64, u64) -> u64;

fn check(operation: &str, ty: &str, model: Model) {
    let operands = if operation == "cas" { "%b, %c" } else { "%b" };
    let text = format!("atom.global.{operation}.{ty} %d, [%at], {operands};\nld.b{} %e, [%at];", width(ty));
    let untyped = if width(ty) == 64 { "b64" } else { "b32" };
    let code = Code::new(&text, &[untyped, untyped], &[untyped, untyped, untyped]);
    let values = interesting(ty, 3);
    let mut cases: Vec<Inputs> = Vec::new();
    for a in &values {
        // The operand that equals the old value is what `cas` waits for.
        cases.extend(values.iter().chain([a]).enumerate().map(|(n, b)| [*a, *b, values[n % values.len()], 0]));
    }
    for (case, [old, new]) in cases.iter().zip(code.run(&cases)) {
        let mask = u64::MAX >> (64 - width(ty));
        let expected = model(case[0], case[1], case[2]) & mask;
        assert_eq!(old, case[0] & mask, "{operation}.{ty} of {case:x?} answers the old value");
        let nan = |bits: u64| match ty {
            "f32" => f32::from_bits(bits as u32).is_nan(),
            "f64" => f64::from_bits(bits).is_nan(),
            _ => false,
        };
        assert!(
            new == expected || nan(new) && nan(expected),
            "{operation}.{ty} of {case:x?}: {new:#x}, not {expected:#x}"
        );
    }
}

#[test]
fn integers() {
    let rows: [(&str, &str, Model); 19] = [
        ("add", "u32", |a, b, _| a.wrapping_add(b)),
        ("add", "s32", |a, b, _| a.wrapping_add(b)),
        ("add", "u64", |a, b, _| a.wrapping_add(b)),
        ("and", "b32", |a, b, _| a & b),
        ("or", "b32", |a, b, _| a | b),
        ("xor", "b32", |a, b, _| a ^ b),
        ("and", "b64", |a, b, _| a & b),
        ("or", "b64", |a, b, _| a | b),
        ("xor", "b64", |a, b, _| a ^ b),
        ("min", "u32", |a, b, _| a.min(b)),
        ("max", "u32", |a, b, _| a.max(b)),
        ("min", "s32", |a, b, _| (a as i32).min(b as i32) as u64),
        ("max", "s32", |a, b, _| (a as i32).max(b as i32) as u64),
        ("min", "u64", |a, b, _| a.min(b)),
        ("max", "s64", |a, b, _| (a as i64).max(b as i64) as u64),
        ("inc", "u32", |a, b, _| if a >= b { 0 } else { a + 1 }),
        ("dec", "u32", |a, b, _| if a == 0 || a > b { b } else { a - 1 }),
        ("exch", "b32", |_, b, _| b),
        ("exch", "b64", |_, b, _| b),
    ];
    for (operation, ty, model) in rows {
        check(operation, ty, model);
    }
}

#[test]
fn compare_and_swap() {
    check("cas", "b32", |a, b, c| if a == b { c } else { a });
    check("cas", "b64", |a, b, c| if a == b { c } else { a });
}

#[test]
fn floats() {
    check("add", "f32", |a, b, _| (f32::from_bits(a as u32) + f32::from_bits(b as u32)).to_bits().into());
    check("add", "f64", |a, b, _| (f64::from_bits(a) + f64::from_bits(b)).to_bits());
}

#[test]
fn reductions_answer_nothing() {
    let code = Code::new("red.global.add.u32 [%at], %b;\nld.b32 %d, [%at];", &["b32"], &["b32", "b32"]);
    assert_eq!(code.run(&[[7, 5, 0, 0], [u64::from(u32::MAX), 1, 0, 0]]), [[12, 0], [0, 0]]);
}
