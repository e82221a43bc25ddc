//! `cvt` in all pairs of types.

use crate::halves::{write_bf16, write_f16};
use crate::harness::{Inputs, Row, check, check_on, interesting, width};
use half::{bf16, f16};

const INTEGERS: [&str; 8] = ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"];

fn is_signed(ty: &str) -> bool {
    ty.starts_with('s')
}

fn integer(ty: &str, bits: u64) -> i128 {
    let unused = 64 - width(ty);
    if is_signed(ty) { (((bits << unused) as i64) >> unused).into() } else { (bits << unused >> unused).into() }
}

fn range(ty: &str) -> (i128, i128) {
    let bits = width(ty);
    if is_signed(ty) { (-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

#[test]
fn integers() {
    for from in INTEGERS {
        for to in INTEGERS {
            check(&format!("cvt.{to}.{from} %d, %a;"), to, &[from], |[a, ..]| integer(from, a) as u64);
            let ((low, high), (least, largest)) = (range(to), range(from));
            if low <= least && largest <= high {
                // Saturation is for what may not fit.
                continue;
            }
            check(&format!("cvt.sat.{to}.{from} %d, %a;"), to, &[from], |[a, ..]| {
                integer(from, a).clamp(low, high) as u64
            });
        }
    }
}

/// A narrow result fills a wider register by its own sign.
#[test]
fn results_extend() {
    check("cvt.s8.s32 %d, %a;", "s32", &["s32"], |[a, ..]| a as i8 as u64);
    check("cvt.u8.s32 %d, %a;", "s32", &["s32"], |[a, ..]| a & 255);
    check("cvt.rzi.s16.f32 %d, %a;", "s32", &["f32"], |[a, ..]| f32::from_bits(a as u32) as i16 as u64);
}

/// `exact` as f32 in a mode.
fn narrow(exact: i128, mode: &str) -> f32 {
    let near = exact as f32;
    let above = near as i128 > exact;
    let below = (near as i128) < exact;
    match mode {
        "rm" if above => near.next_down(),
        "rp" if below => near.next_up(),
        "rz" if above && exact > 0 => near.next_down(),
        "rz" if below && exact < 0 => near.next_up(),
        _ => near,
    }
}

fn narrow64(exact: i128, mode: &str) -> f64 {
    let near = exact as f64;
    let above = near as i128 > exact;
    let below = (near as i128) < exact;
    match mode {
        "rm" if above => near.next_down(),
        "rp" if below => near.next_up(),
        "rz" if above && exact > 0 => near.next_down(),
        "rz" if below && exact < 0 => near.next_up(),
        _ => near,
    }
}

#[test]
fn integers_to_floats() {
    for from in INTEGERS {
        for mode in ["rn", "rz", "rm", "rp"] {
            check(&format!("cvt.{mode}.f32.{from} %d, %a;"), "f32", &[from], |[a, ..]| {
                narrow(integer(from, a), mode).to_bits().into()
            });
            check(&format!("cvt.{mode}.f64.{from} %d, %a;"), "f64", &[from], |[a, ..]| {
                narrow64(integer(from, a), mode).to_bits()
            });
        }
        check(&format!("cvt.rn.f16.{from} %d, %a;"), "f16", &[from], |[a, ..]| {
            // Beyond 2^53 everything is infinite anyway.
            half_bits(integer(from, a) as f64)
        });
        check(&format!("cvt.rn.sat.f32.{from} %d, %a;"), "f32", &[from], |[a, ..]| {
            f32::from(u8::from(integer(from, a) > 0)).to_bits().into()
        });
    }
    check("cvt.rn.bf16.s32 %d, %a;", "bf16", &["s32"], |[a, ..]| brain_bits(a as i32 as f64));
}

fn wide(ty: &str, bits: u64) -> f64 {
    match ty {
        "f16" => f16::from_bits(bits as u16).to_f64(),
        "bf16" => bf16::from_bits(bits as u16).to_f64(),
        "f32" => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

#[test]
fn floats_to_integers() {
    let modes: [Row; 4] = [("rni", f64::round_ties_even), ("rzi", f64::trunc), ("rmi", f64::floor), ("rpi", f64::ceil)];
    for from in ["f16", "f32", "f64", "bf16"] {
        for to in INTEGERS {
            if from == "bf16" && width(to) == 8 {
                continue;
            }
            for (mode, of) in modes {
                check(&format!("cvt.{mode}.{to}.{from} %d, %a;"), to, &[from], |[a, ..]| {
                    let value = of(wide(from, a));
                    let (low, high) = range(to);
                    if value.is_nan() {
                        // Zero only if no 64-bit type takes part.
                        return if from == "f64" || width(to) == 64 { 1 << (width(to) - 1) } else { 0 };
                    }
                    (value as i128).clamp(low, high) as u64
                });
            }
        }
    }
    check("cvt.rpi.ftz.s32.f32 %d, %a;", "s32", &["f32"], |[a, ..]| {
        let value = f32::from_bits(a as u32);
        if value.abs() < f32::MIN_POSITIVE { 0 } else { value.ceil() as i32 as u64 }
    });
}

#[test]
fn floats_to_floats() {
    let f = |bits: u64| f32::from_bits(bits as u32);
    let d = f64::from_bits;
    let flush = |x: f32| if x.abs() < f32::MIN_POSITIVE { 0f32.copysign(x) } else { x };
    check("cvt.f64.f32 %d, %a;", "f64", &["f32"], |[a, ..]| f64::from(f(a)).to_bits());
    check("cvt.ftz.f64.f32 %d, %a;", "f64", &["f32"], |[a, ..]| f64::from(flush(f(a))).to_bits());
    check("cvt.rn.f32.f64 %d, %a;", "f32", &["f64"], |[a, ..]| (d(a) as f32).to_bits().into());
    check("cvt.rn.ftz.f32.f64 %d, %a;", "f32", &["f64"], |[a, ..]| flush(d(a) as f32).to_bits().into());
    for mode in ["rz", "rm", "rp"] {
        check(&format!("cvt.{mode}.f32.f64 %d, %a;"), "f32", &["f64"], |[a, ..]| {
            let (exact, near) = (d(a), d(a) as f32);
            let wide = f64::from(near);
            let down = if wide > exact { near.next_down() } else { near };
            let up = if wide < exact { near.next_up() } else { near };
            let value = match mode {
                "rm" => down,
                "rp" => up,
                _ if exact < 0.0 => up,
                _ => down,
            };
            // Stepping off a zero gives it the other zero's sign.
            (if value == 0.0 { 0f32.copysign(exact as f32) } else { value }).to_bits().into()
        });
    }
    check("cvt.sat.f32.f32 %d, %a;", "f32", &["f32"], |[a, ..]| {
        (if f(a) > 0.0 { f(a).min(1.0) } else { 0.0 }).to_bits().into()
    });
    let modes: [Row; 4] = [("rni", f64::round_ties_even), ("rzi", f64::trunc), ("rmi", f64::floor), ("rpi", f64::ceil)];
    for (mode, of) in modes {
        check(&format!("cvt.{mode}.f32.f32 %d, %a;"), "f32", &["f32"], |[a, ..]| {
            (of(f(a).into()) as f32).to_bits().into()
        });
        check(&format!("cvt.{mode}.f64.f64 %d, %a;"), "f64", &["f64"], |[a, ..]| of(d(a)).to_bits());
        check(&format!("cvt.{mode}.f16.f16 %d, %a;"), "f16", &["f16"], |[a, ..]| half_bits(of(wide("f16", a))));
    }
}

fn half_bits(x: f64) -> u64 {
    write_f16(x).into()
}

fn brain_bits(x: f64) -> u64 {
    write_bf16(x).into()
}

#[test]
fn halves() {
    let f = |bits: u64| f64::from(f32::from_bits(bits as u32));
    check("cvt.f32.f16 %d, %a;", "f32", &["f16"], |[a, ..]| (wide("f16", a) as f32).to_bits().into());
    check("cvt.f64.f16 %d, %a;", "f64", &["f16"], |[a, ..]| wide("f16", a).to_bits());
    check("cvt.f32.bf16 %d, %a;", "f32", &["bf16"], |[a, ..]| (wide("bf16", a) as f32).to_bits().into());
    check("cvt.rn.f16.f32 %d, %a;", "f16", &["f32"], |[a, ..]| half_bits(f(a)));
    check("cvt.rn.f16.f64 %d, %a;", "f16", &["f64"], |[a, ..]| match f64::from_bits(a) {
        // The sign and the upper part of what it carries.
        value if value.is_nan() => a >> 48 & 0x8000 | 0x7e00 | a >> 42 & 0x3ff,
        value => half_bits(value),
    });
    check("cvt.rn.bf16.f32 %d, %a;", "bf16", &["f32"], |[a, ..]| brain_bits(f(a)));
    check("cvt.rn.bf16.f16 %d, %a;", "bf16", &["f16"], |[a, ..]| brain_bits(wide("f16", a)));
    check("cvt.rn.f16.bf16 %d, %a;", "f16", &["bf16"], |[a, ..]| half_bits(wide("bf16", a)));
    let relu = |bits: u64| if bits & 0x8000 != 0 { 0 } else { bits };
    check("cvt.rn.relu.f16.f32 %d, %a;", "f16", &["f32"], |[a, ..]| relu(half_bits(f(a))));
    check("cvt.rn.satfinite.f16.f32 %d, %a;", "f16", &["f32"], |[a, ..]| {
        let bits = half_bits(f(a));
        if bits & 0x7fff == 0x7c00 { bits - 1 } else { bits }
    });
    check("cvt.rn.sat.f16.f32 %d, %a;", "f16", &["f32"], |[a, ..]| {
        half_bits(if f(a) > 0.0 { f(a).min(1.0) } else { 0.0 })
    });
    check("cvt.rz.f16.f32 %d, %a;", "f16", &["f32"], |[a, ..]| {
        let (exact, bits) = (f(a), half_bits(f(a)));
        let value = wide("f16", bits);
        if exact.is_finite() && value.abs() > exact.abs() { bits - 1 } else { bits }
    });
    // bf16 is the upper half of an f32: cutting rounds to zero, one more rounds away.
    for (mode, away) in [("rm", true), ("rp", false)] {
        check(&format!("cvt.{mode}.bf16.f32 %d, %a;"), "bf16", &["f32"], |[a, ..]| {
            let (cut, rest, negative) = (a >> 16, a & 0xffff, a >> 31 == 1);
            if f(a).is_nan() { 0x7fff } else { cut + u64::from(rest != 0 && negative == away) }
        });
    }
    for (to, bits) in [("f16", half_bits as fn(f64) -> u64), ("bf16", brain_bits)] {
        let instruction = format!("cvt.rn.{to}x2.f32 %d, %a, %b;");
        check(&instruction, "b32", &["f32", "f32"], |[a, b, ..]| bits(f(b)) | bits(f(a)) << 16);
        let instruction = format!("cvt.rn.relu.{to}x2.f32 %d, %a, %b;");
        check(&instruction, "b32", &["f32", "f32"], |[a, b, ..]| relu(bits(f(b))) | relu(bits(f(a))) << 16);
    }
}

#[test]
fn tensor_floats() {
    let cases: Vec<Inputs> =
        [0x3f80_0000u64, 0x3f80_0fff, 0x3f80_1000, 0x3f80_1001, 0xbf80_3000, 0x7f80_0000, 0x7fc0_0000, 0xffc0_5678]
            .iter()
            .map(|bits| [*bits, 0, 0, 0])
            .collect();
    let round = |bits: u64, up: fn(u64) -> u64| match bits & 0x7fff_ffff {
        0x7f80_0001.. => 0x7fff_e000,
        0x7f80_0000 => bits,
        _ => (bits + up(bits)) & !0x1fff,
    };
    check_on("cvt.rna.tf32.f32 %d, %a;", "b32", &["f32"], &cases, |[a, ..]| match f32::from_bits(a as u32).is_nan() {
        true => a & 0xffff_e000,
        false => round(a, |_| 0x1000),
    });
    check_on("cvt.rn.tf32.f32 %d, %a;", "b32", &["f32"], &cases, |[a, ..]| round(a, |a| 0xfff + (a >> 13 & 1)));
    check_on("cvt.rz.tf32.f32 %d, %a;", "b32", &["f32"], &cases, |[a, ..]| round(a, |_| 0));
}

/// All values of an 8-bit format, by its definition.
fn small(ty: &str, bits: u64) -> f64 {
    let (exponents, fractions, bias) = if ty == "e4m3" { (15, 8.0, 7) } else { (31, 4.0, 15) };
    let step = fractions as u64;
    let (exponent, fraction) = ((bits & 127) / step, (bits & 127) % step);
    let sign = if bits & 128 == 0 { 1.0 } else { -1.0 };
    if ty == "e4m3" && bits & 127 == 127 || ty == "e5m2" && exponent == exponents && fraction > 0 {
        return f64::NAN;
    }
    if ty == "e5m2" && exponent == exponents {
        return sign * f64::INFINITY;
    }
    let implicit = if exponent == 0 { 0.0 } else { 1.0 };
    sign * (implicit + fraction as f64 / fractions) * 2f64.powi(exponent.max(1) as i32 - bias)
}

/// The nearest value of the format, ties to even bits, never infinite: by search.
fn to_small(ty: &str, x: f64) -> u64 {
    if x.is_nan() {
        return 0x7f;
    }
    let largest = if ty == "e4m3" { 0x7e } else { 0x7b };
    let sign = if x.is_sign_negative() { 0x80 } else { 0 };
    let size = x.abs().min(small(ty, largest));
    let distance = |bits: &u64| (small(ty, *bits) - size).abs();
    let best = (0..=largest).min_by(|a, b| distance(a).total_cmp(&distance(b)).then((a & 1).cmp(&(b & 1))));
    best.unwrap_or(0) | sign
}

#[test]
fn eight_bit_floats() {
    let f = |bits: u64| f64::from(f32::from_bits(bits as u32));
    let mut values = interesting("f32", 1);
    for ty in ["e4m3", "e5m2"] {
        // The numbers of the format and the ties between them.
        for n in 0..0x7b {
            let (x, y) = (small(ty, n), small(ty, n + 1));
            values.extend([x, (x + y) / 2.0, (x + y) / 2.0 * 1.01].map(|x| u64::from((x as f32).to_bits())));
        }
    }
    for ty in ["e4m3", "e5m2"] {
        let cases: Vec<Inputs> = values.iter().map(|v| [*v, u64::from(0.5f32.to_bits()), 0, 0]).collect();
        let half = to_small(ty, 0.5);
        let instruction = format!("cvt.rn.satfinite.{ty}x2.f32 %d, %a, %b;");
        check_on(&instruction, "b16", &["f32", "f32"], &cases, |[a, ..]| to_small(ty, f(a)) << 8 | half);
        let instruction = format!("cvt.rn.satfinite.relu.{ty}x2.f32 %d, %a, %b;");
        check_on(&instruction, "b16", &["f32", "f32"], &cases, |[a, ..]| {
            (if f(a) < 0.0 || f(a) == 0.0 { 0 } else { to_small(ty, f(a)) }) << 8 | half
        });
        let instruction = format!("cvt.rn.satfinite.{ty}x2.f16x2 %d, %a;");
        check(&instruction, "b16", &["f16x2"], |[a, ..]| {
            to_small(ty, wide("f16", a & 0xffff)) | to_small(ty, wide("f16", a >> 16)) << 8
        });
        let all: Vec<Inputs> = (0..256u64).map(|n| [n | (n ^ 0x55) << 8, 0, 0, 0]).collect();
        check_on(&format!("cvt.rn.f16x2.{ty}x2 %d, %a;"), "b32", &["b16"], &all, |[a, ..]| {
            half_bits(small(ty, a & 255)) | half_bits(small(ty, a >> 8)) << 16
        });
    }
}
