//! Integer arithmetic and carries.

use crate::harness::{Code, Inputs, check};
use proptest::prelude::*;

type Model = fn(u64, u64, u64) -> u64;

fn all(rows: &[(&str, &str, &str, Model)]) {
    for (instruction, output, input, model) in rows {
        let count = ["%a", "%b", "%c"].iter().filter(|name| instruction.contains(**name)).count();
        let mut inputs = vec![*input; count];
        if instruction.contains("wide") && count == 3 {
            inputs[2] = output;
        }
        check(instruction, output, &inputs, |[a, b, c, _]| model(a, b, c));
    }
}

#[test]
fn sums_and_products() {
    all(&[
        ("add.u16 %d, %a, %b;", "u16", "u16", |a, b, _| a.wrapping_add(b)),
        ("add.s32 %d, %a, %b;", "s32", "s32", |a, b, _| a.wrapping_add(b)),
        ("add.u64 %d, %a, %b;", "u64", "u64", |a, b, _| a.wrapping_add(b)),
        ("add.sat.s32 %d, %a, %b;", "s32", "s32", |a, b, _| (a as i32).saturating_add(b as i32) as u64),
        ("sub.sat.s32 %d, %a, %b;", "s32", "s32", |a, b, _| (a as i32).saturating_sub(b as i32) as u64),
        ("sub.s16 %d, %a, %b;", "s16", "s16", |a, b, _| a.wrapping_sub(b)),
        ("sub.s64 %d, %a, %b;", "s64", "s64", |a, b, _| a.wrapping_sub(b)),
        ("add.u16x2 %d, %a, %b;", "u32", "u32", |a, b, _| pair(a, b, |a, b| a.wrapping_add(b))),
        ("mul.lo.s32 %d, %a, %b;", "s32", "s32", |a, b, _| a.wrapping_mul(b)),
        ("mul.lo.u16 %d, %a, %b;", "u16", "u16", |a, b, _| a.wrapping_mul(b)),
        ("mul.lo.s64 %d, %a, %b;", "s64", "s64", |a, b, _| a.wrapping_mul(b)),
        ("mul.hi.u16 %d, %a, %b;", "u16", "u16", |a, b, _| a.wrapping_mul(b) >> 16),
        ("mul.hi.s16 %d, %a, %b;", "s16", "s16", |a, b, _| ((a as i16 as i64 * b as i16 as i64) >> 16) as u64),
        ("mul.hi.u32 %d, %a, %b;", "u32", "u32", |a, b, _| a.wrapping_mul(b) >> 32),
        ("mul.hi.s32 %d, %a, %b;", "s32", "s32", |a, b, _| ((a as i32 as i64 * b as i32 as i64) >> 32) as u64),
        ("mul.hi.u64 %d, %a, %b;", "u64", "u64", |a, b, _| ((u128::from(a) * u128::from(b)) >> 64) as u64),
        ("mul.hi.s64 %d, %a, %b;", "s64", "s64", |a, b, _| {
            ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64
        }),
        ("mul.wide.u16 %d, %a, %b;", "u32", "u16", |a, b, _| a * b),
        ("mul.wide.s16 %d, %a, %b;", "s32", "s16", |a, b, _| (a as i16 as i64 * b as i16 as i64) as u64),
        ("mul.wide.u32 %d, %a, %b;", "u64", "u32", |a, b, _| a * b),
        ("mul.wide.s32 %d, %a, %b;", "s64", "s32", |a, b, _| (a as i32 as i64 * b as i32 as i64) as u64),
        ("mad.lo.s32 %d, %a, %b, %c;", "s32", "s32", |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        ("mad.hi.u32 %d, %a, %b, %c;", "u32", "u32", |a, b, c| (a.wrapping_mul(b) >> 32).wrapping_add(c)),
        ("mad.hi.sat.s32 %d, %a, %b, %c;", "s32", "s32", |a, b, c| {
            (((a as i32 as i64 * b as i32 as i64) >> 32) as i32).saturating_add(c as i32) as u64
        }),
        ("mad.wide.s32 %d, %a, %b, %c;", "s64", "s32", |a, b, c| {
            (a as i32 as i64 * b as i32 as i64).wrapping_add(c as i64) as u64
        }),
        ("mad.wide.u16 %d, %a, %b, %c;", "u32", "u16", |a, b, c| (a * b).wrapping_add(c)),
        ("mul24.lo.u32 %d, %a, %b;", "u32", "u32", |a, b, _| low24(a) * low24(b)),
        ("mul24.hi.u32 %d, %a, %b;", "u32", "u32", |a, b, _| (low24(a) * low24(b)) >> 16),
        ("mul24.lo.s32 %d, %a, %b;", "s32", "s32", |a, b, _| (signed24(a) * signed24(b)) as u64),
        ("mul24.hi.s32 %d, %a, %b;", "s32", "s32", |a, b, _| ((signed24(a) * signed24(b)) >> 16) as u64),
        ("mad24.lo.s32 %d, %a, %b, %c;", "s32", "s32", |a, b, c| ((signed24(a) * signed24(b)) as u64).wrapping_add(c)),
        ("mad24.hi.sat.s32 %d, %a, %b, %c;", "s32", "s32", |a, b, c| {
            (((signed24(a) * signed24(b)) >> 16) as i32).saturating_add(c as i32) as u64
        }),
        ("sad.u32 %d, %a, %b, %c;", "u32", "u32", |a, b, c| c.wrapping_add(a.abs_diff(b))),
        ("sad.s16 %d, %a, %b, %c;", "s16", "s16", |a, b, c| c + u64::from((a as i16).abs_diff(b as i16))),
        ("sad.s64 %d, %a, %b, %c;", "s64", "s64", |a, b, c| c.wrapping_add((a as i64).abs_diff(b as i64))),
    ]);
}

#[test]
fn quotients() {
    all(&[
        ("div.u16 %d, %a, %b;", "u16", "u16", |a, b, _| a.checked_div(b).unwrap_or(u64::MAX)),
        ("div.u32 %d, %a, %b;", "u32", "u32", |a, b, _| a.checked_div(b).unwrap_or(u64::MAX)),
        ("div.u64 %d, %a, %b;", "u64", "u64", |a, b, _| a.checked_div(b).unwrap_or(u64::MAX)),
        ("div.s16 %d, %a, %b;", "s16", "s16", |a, b, _| quotient(a as i16 as i64, b as i16 as i64)),
        ("div.s32 %d, %a, %b;", "s32", "s32", |a, b, _| quotient(a as i32 as i64, b as i32 as i64)),
        ("div.s64 %d, %a, %b;", "s64", "s64", |a, b, _| quotient(a as i64, b as i64)),
        ("div.s32 %d, %a, 7;", "s32", "s32", |a, _, _| quotient(a as i32 as i64, 7)),
        ("div.s32 %d, %a, -1;", "s32", "s32", |a, _, _| quotient(a as i32 as i64, -1)),
        ("div.u32 %d, %a, 0;", "u32", "u32", |_, _, _| u64::MAX),
        ("div.u32 %d, %a, 10;", "u32", "u32", |a, _, _| a / 10),
        ("rem.u16 %d, %a, %b;", "u16", "u16", |a, b, _| a.checked_rem(b).unwrap_or(u64::MAX)),
        ("rem.u32 %d, %a, %b;", "u32", "u32", |a, b, _| a.checked_rem(b).unwrap_or(u64::MAX)),
        ("rem.u64 %d, %a, %b;", "u64", "u64", |a, b, _| a.checked_rem(b).unwrap_or(u64::MAX)),
        ("rem.s16 %d, %a, %b;", "s16", "s16", |a, b, _| remainder(a as i16 as i64, b as i16 as i64)),
        ("rem.s32 %d, %a, %b;", "s32", "s32", |a, b, _| remainder(a as i32 as i64, b as i32 as i64)),
        ("rem.s64 %d, %a, %b;", "s64", "s64", |a, b, _| remainder(a as i64, b as i64)),
        ("rem.s32 %d, %a, -1;", "s32", "s32", |_, _, _| 0),
        ("rem.u32 %d, %a, 10;", "u32", "u32", |a, _, _| a % 10),
    ]);
}

#[test]
fn signs_and_extremes() {
    all(&[
        ("abs.s16 %d, %a;", "s16", "s16", |a, _, _| (a as i16).wrapping_abs() as u64),
        ("abs.s32 %d, %a;", "s32", "s32", |a, _, _| (a as i32).wrapping_abs() as u64),
        ("abs.s64 %d, %a;", "s64", "s64", |a, _, _| (a as i64).wrapping_abs() as u64),
        ("neg.s16 %d, %a;", "s16", "s16", |a, _, _| a.wrapping_neg()),
        ("neg.s32 %d, %a;", "s32", "s32", |a, _, _| a.wrapping_neg()),
        ("min.u32 %d, %a, %b;", "u32", "u32", |a, b, _| a.min(b)),
        ("min.s32 %d, %a, %b;", "s32", "s32", |a, b, _| (a as i32).min(b as i32) as u64),
        ("max.s16 %d, %a, %b;", "s16", "s16", |a, b, _| (a as i16).max(b as i16) as u64),
        ("max.u64 %d, %a, %b;", "u64", "u64", |a, b, _| a.max(b)),
        ("max.s64 %d, %a, %b;", "s64", "s64", |a, b, _| (a as i64).max(b as i64) as u64),
        ("max.relu.s32 %d, %a, %b;", "s32", "s32", |a, b, _| (a as i32).max(b as i32).max(0) as u64),
        ("min.relu.s16x2 %d, %a, %b;", "u32", "u32", |a, b, _| {
            pair(a, b, |a, b| (a as i16).min(b as i16).max(0) as u16)
        }),
        ("max.u16x2 %d, %a, %b;", "u32", "u32", |a, b, _| pair(a, b, u16::max)),
        ("max.s16x2 %d, %a, %b;", "u32", "u32", |a, b, _| pair(a, b, |a, b| (a as i16).max(b as i16) as u16)),
    ]);
}

fn pair(a: u64, b: u64, of: impl Fn(u16, u16) -> u16) -> u64 {
    u64::from(of(a as u16, b as u16)) | u64::from(of((a >> 16) as u16, (b >> 16) as u16)) << 16
}

fn low24(a: u64) -> u64 {
    a & 0xff_ffff
}

fn signed24(a: u64) -> i64 {
    i64::from((a as i32) << 8 >> 8)
}

fn quotient(a: i64, b: i64) -> u64 {
    if b == 0 { u64::MAX } else { a.wrapping_div(b) as u64 }
}

fn remainder(a: i64, b: i64) -> u64 {
    if b == 0 { u64::MAX } else { a.wrapping_rem(b) as u64 }
}

/// Sums and products of numbers longer than a register, as compilers write them.
#[test]
fn carries_chain() {
    let add = "add.cc.u32 %d, %a, %c; addc.u32 %e, %b, %f;";
    let sub = "sub.cc.u32 %d, %a, %c; subc.u32 %e, %b, %f;";
    let product = "mul.lo.u32 %d, %a, %c; mul.hi.u32 %e, %a, %c; mad.lo.u32 %e, %b, %c, %e; mad.lo.cc.u32 %d, %b, %f, %d; \
                   madc.hi.u32 %e, %b, %f, %e;";
    type Whole = fn(Inputs) -> u64;
    let models: [(&str, Whole); 3] = [
        (add, |[a, b, c, f]| (b << 32 | a).wrapping_add(f << 32 | c)),
        (sub, |[a, b, c, f]| (b << 32 | a).wrapping_sub(f << 32 | c)),
        (product, |[a, b, c, f]| (b << 32 | a).wrapping_mul(c).wrapping_add(b * f)),
    ];
    let edges = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1234_5678];
    let mut cases = Vec::new();
    for n in 0..edges.len().pow(4) {
        cases.push([1, 6, 36, 216].map(|by| edges[n / by % 6]));
    }
    for (instruction, model) in models {
        let results = Code::new(instruction, &["u32", "u32"], &["u32"; 4]).run(&cases);
        for (case, [low, high]) in cases.iter().zip(results) {
            assert_eq!(high << 32 | low, model(*case), "{instruction} {case:x?}");
        }
    }
}

#[test]
fn carries_of_64_bits_pass_through_three_words() {
    // a + b + c as 128 bits: the carry of a middle addition goes in and out.
    let instruction = "add.cc.u64 %d, %a, %b; addc.cc.u64 %d, %d, %c; addc.u64 %e, %f, 0;";
    let edges = [0, 1, u64::MAX, 1 << 63];
    let cases: Vec<Inputs> = (0..256).map(|n| [1, 4, 16, 64].map(|by| edges[n / by % 4])).collect();
    let results = Code::new(instruction, &["u64", "u64"], &["u64"; 4]).run(&cases);
    for ([a, b, c, f], [low, high]) in cases.iter().zip(results) {
        let (first, carry) = a.overflowing_add(*b);
        let (second, one) = first.overflowing_add(*c);
        let (second, two) = second.overflowing_add(u64::from(carry));
        assert_eq!((low, high), (second, f.wrapping_add(u64::from(one || two))));
    }
}

/// Random operands for the instructions with the most ways to go wrong.
#[test]
fn random_operands() {
    let rows: [(&str, &str, Model); 9] = [
        ("div.s32 %d, %a, %b;", "s32", |a, b, _| quotient(a as i32 as i64, b as i32 as i64)),
        ("rem.s64 %d, %a, %b;", "s64", |a, b, _| remainder(a as i64, b as i64)),
        ("mul.hi.s64 %d, %a, %b;", "s64", |a, b, _| ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64),
        ("bfe.s32 %d, %a, %b, %c;", "s32", crate::bits::bfe_s32),
        ("bfe.u64 %d, %a, %b, %c;", "u64", crate::bits::bfe_u64),
        ("shf.l.wrap.b32 %d, %a, %b, %c;", "u32", |a, b, c| ((b << 32 | a) << (c & 31)) >> 32),
        ("prmt.b32 %d, %a, %b, %c;", "u32", crate::bits::prmt),
        ("dp4a.s32.u32 %d, %a, %b, %c;", "s32", crate::bits::dp4a_su),
        ("sad.s32 %d, %a, %b, %c;", "s32", |a, b, c| c + u64::from((a as i32).abs_diff(b as i32))),
    ];
    for (instruction, ty, model) in rows {
        let bits = crate::harness::width(ty);
        let narrow = |value: u64, by: u32| (value >> (by % 64)) & u64::MAX >> (64 - bits);
        // 64-bit fields take their position and length from 32-bit registers.
        let field = ty == "u64";
        let inputs = if field { [ty, "u32", "u32"] } else { [ty; 3] };
        let code = Code::new(instruction, &[ty], &inputs);
        proptest!(ProptestConfig::with_cases(300), |(a: u64, b: u64, c: u64, by: [u32; 3])| {
            let mut case = [narrow(a, by[0]), narrow(b, by[1]), narrow(c, by[2]), 0];
            if field {
                case[1] &= 0xffff_ffff;
                case[2] &= 0xffff_ffff;
            }
            let expected = model(case[0], case[1], case[2]) & u64::MAX >> (64 - bits);
            prop_assert_eq!(code.run(&[case])[0][0], expected, "{} {:x?}", instruction, case);
        });
    }
}
