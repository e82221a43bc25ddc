//! `set`, `setp`, `selp`, `slct`.

use crate::harness::{Code, check, interesting};
use half::{bf16, f16};
use std::cmp::Ordering;

type IntegerTest = fn(Ordering) -> bool;

const INTEGER: [(&str, IntegerTest); 6] = [
    ("eq", Ordering::is_eq),
    ("ne", Ordering::is_ne),
    ("lt", Ordering::is_lt),
    ("le", Ordering::is_le),
    ("gt", Ordering::is_gt),
    ("ge", Ordering::is_ge),
];

fn signed(ty: &str, value: u64) -> i64 {
    match ty {
        "s16" => value as i16 as i64,
        "s32" => value as i32 as i64,
        _ => value as i64,
    }
}

#[test]
fn integers() {
    for (name, of) in INTEGER {
        for ty in ["u16", "u32", "u64"] {
            let instruction = format!("setp.{name}.{ty} %d, %a, %b;");
            check(&instruction, "pred", &[ty, ty], |[a, b, _, _]| of(a.cmp(&b)).into());
        }
        for ty in ["s16", "s32", "s64"] {
            let instruction = format!("setp.{name}.{ty} %d, %a, %b;");
            check(&instruction, "pred", &[ty, ty], |[a, b, _, _]| of(signed(ty, a).cmp(&signed(ty, b))).into());
        }
    }
    for (name, of) in [("lo", 2), ("ls", 3), ("hi", 4), ("hs", 5)] {
        let instruction = format!("setp.{name}.u32 %d, %a, %b;");
        check(&instruction, "pred", &["u32", "u32"], |[a, b, _, _]| INTEGER[of].1(a.cmp(&b)).into());
    }
    check("setp.eq.b64 %d, %a, %b;", "pred", &["b64", "b64"], |[a, b, _, _]| (a == b).into());
    check(
        "set.lt.u32.s32 %d, %a, %b;",
        "u32",
        &["s32", "s32"],
        |[a, b, _, _]| {
            if (a as i32) < b as i32 { u64::MAX } else { 0 }
        },
    );
    check("set.ge.f32.u32 %d, %a, %b;", "f32", &["u32", "u32"], |[a, b, _, _]| {
        f32::from(u8::from(a >= b)).to_bits().into()
    });
}

/// The second destination takes the opposite, each combined with the third operand.
#[test]
fn second_destination() {
    for (name, of) in
        [("and", (|p, q| p && q) as fn(bool, bool) -> bool), ("or", |p, q| p || q), ("xor", |p, q| p != q)]
    {
        for (sign, flip) in [("", false), ("!", true)] {
            let instruction = format!("setp.lt.{name}.s32 %d|%e, %a, %b, {sign}%c;");
            let code = Code::new(&instruction, &["pred", "pred"], &["s32", "s32", "pred"]);
            for (a, b, c) in [(1, 2, 0), (1, 2, 1), (2, 1, 0), (2, 1, 1)] {
                let third = (c == 1) != flip;
                let expected = [of(a < b, third), of(a >= b, third)].map(u64::from);
                assert_eq!(code.run(&[[a, b, c, 0]])[0], expected, "{instruction} {a} {b} {c}");
            }
        }
    }
    let code = Code::new("setp.lt.s32 %d|%e, %a, %b;", &["pred", "pred"], &["s32", "s32"]);
    assert_eq!(code.run(&[[1, 2, 0, 0], [2, 1, 0, 0]]), [[1, 0], [0, 1]]);
}

type FloatTest = fn(Option<Ordering>) -> bool;

const FLOAT: [(&str, FloatTest); 14] = [
    ("eq", |o| o == Some(Ordering::Equal)),
    ("ne", |o| o.is_some_and(Ordering::is_ne)),
    ("lt", |o| o.is_some_and(Ordering::is_lt)),
    ("le", |o| o.is_some_and(Ordering::is_le)),
    ("gt", |o| o.is_some_and(Ordering::is_gt)),
    ("ge", |o| o.is_some_and(Ordering::is_ge)),
    ("equ", |o| o.is_none_or(Ordering::is_eq)),
    ("neu", |o| o.is_none_or(Ordering::is_ne)),
    ("ltu", |o| o.is_none_or(Ordering::is_lt)),
    ("leu", |o| o.is_none_or(Ordering::is_le)),
    ("gtu", |o| o.is_none_or(Ordering::is_gt)),
    ("geu", |o| o.is_none_or(Ordering::is_ge)),
    ("num", |o| o.is_some()),
    ("nan", |o| o.is_none()),
];

fn float(ty: &str, bits: u64) -> f64 {
    match ty {
        "f32" => f32::from_bits(bits as u32).into(),
        "f16" => f16::from_bits(bits as u16).into(),
        "bf16" => bf16::from_bits(bits as u16).into(),
        _ => f64::from_bits(bits),
    }
}

#[test]
fn floats() {
    for (name, of) in FLOAT {
        for ty in ["f32", "f64", "f16", "bf16"] {
            let instruction = format!("setp.{name}.{ty} %d, %a, %b;");
            check(&instruction, "pred", &[ty, ty], |[a, b, _, _]| of(float(ty, a).partial_cmp(&float(ty, b))).into());
        }
        let instruction = format!("setp.{name}.ftz.f32 %d, %a, %b;");
        check(&instruction, "pred", &["f32", "f32"], |[a, b, _, _]| {
            let flush = |bits: u64| {
                if float("f32", bits).abs() < f64::from(f32::MIN_POSITIVE) { 0.0 } else { float("f32", bits) }
            };
            of(flush(a).partial_cmp(&flush(b))).into()
        });
        for (ty, one) in [("f16", 0x3c00), ("bf16", 0x3f80)] {
            let element =
                |a: u64, b: u64, n: u64| of(float(ty, a >> n & 0xffff).partial_cmp(&float(ty, b >> n & 0xffff)));
            let packed = format!("{ty}x2");
            let instruction = format!("set.{name}.u32.{packed} %d, %a, %b;");
            check(&instruction, "u32", &[&packed, &packed], |[a, b, _, _]| {
                [0, 16].map(|n| (u64::from(element(a, b, n)) * 0xffff) << n).iter().sum()
            });
            let instruction = format!("set.{name}.{packed}.{packed} %d, %a, %b;");
            check(&instruction, "u32", &[&packed, &packed], |[a, b, _, _]| {
                [0, 16].map(|n| (u64::from(element(a, b, n)) * one) << n).iter().sum()
            });
            let instruction = format!("setp.{name}.{packed} %d|%e, %a, %b;");
            let code = Code::new(&instruction, &["pred", "pred"], &[&packed, &packed]);
            for a in interesting(&packed, 1) {
                for b in interesting(&packed, 1).into_iter().step_by(3) {
                    let expected = [0, 16].map(|n| u64::from(element(a, b, n)));
                    assert_eq!(code.run(&[[a, b, 0, 0]])[0], expected, "{instruction} {a:x} {b:x}");
                }
            }
        }
    }
}

#[test]
fn selections() {
    for ty in ["b16", "b32", "b64", "f32", "f64"] {
        let instruction = format!("selp.{ty} %d, %a, %b, %c;");
        check(&instruction, ty, &[ty, ty, "pred"], |[a, b, c, _]| if c == 1 { a } else { b });
    }
    check("selp.s32 %d, 7, -9, %a;", "s32", &["pred"], |[a, ..]| if a == 1 { 7 } else { -9i64 as u64 });
    check(
        "slct.u64.s32 %d, %a, %b, %c;",
        "u64",
        &["u64", "u64", "s32"],
        |[a, b, c, _]| if c as i32 >= 0 { a } else { b },
    );
    check("slct.b32.f32 %d, %a, %b, %c;", "u32", &["u32", "u32", "f32"], |[a, b, c, _]| {
        if f32::from_bits(c as u32) >= 0.0 { a } else { b }
    });
    check("slct.ftz.b32.f32 %d, %a, %b, %c;", "u32", &["u32", "u32", "f32"], |[a, b, c, _]| {
        if f32::from_bits(c as u32) > -f32::MIN_POSITIVE { a } else { b }
    });
}
