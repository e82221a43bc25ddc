//! Video instructions against models in wider integers.

use crate::harness::{Inputs, check_on, interesting};

/// Signed and unsigned readings of part `n` of `width` bits.
fn part(word: u64, n: u32, width: u32, ty: &str) -> i128 {
    let bits = (word >> (n * width)) as u32 & (u32::MAX >> (32 - width));
    if ty == "s32" && bits >> (width - 1) == 1 { i128::from(bits) - (1 << width) } else { bits.into() }
}

fn range(width: u32, ty: &str) -> (i128, i128) {
    if ty == "s32" { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}

fn operate(name: &str, x: i128, y: i128) -> i128 {
    match name {
        "vadd" => x + y,
        "vsub" => x - y,
        "vabsdiff" => (x - y).abs(),
        "vmin" => x.min(y),
        "vmax" => x.max(y),
        // To the nearest, halves away from zero.
        _ if x + y >= 0 => (x + y + 1).div_euclid(2),
        _ => (x + y).div_euclid(2),
    }
}

fn cases() -> Vec<Inputs> {
    let mut cases = Vec::new();
    for (n, a) in interesting("u32", 2).into_iter().enumerate() {
        for b in interesting("s32", 2).into_iter().chain([0x7f80_80ff, 0xff00_7f80]) {
            cases.push([a, b, a.rotate_left(n as u32) ^ 0x1234_5678, 0]);
        }
    }
    cases
}

const TYPES: [[&str; 3]; 4] = [["u32"; 3], ["s32"; 3], ["u32", "s32", "s32"], ["s32", "u32", "s32"]];

#[test]
fn scalars() {
    let cases = cases();
    for name in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"] {
        for [d, a, b] in TYPES {
            for (sat, then) in [("", ""), (".sat", ""), ("", ".add"), (".sat", ".min"), ("", ".max")] {
                let third = if then.is_empty() { "" } else { ", %c" };
                let text = format!("{name}.{d}.{a}.{b}{sat}{then} %d, %a, %b{third};");
                check_on(&text, "u32", &["u32"; 3], &cases, |[x, y, z, _]| {
                    let mut value = operate(name, part(x, 0, 32, a), part(y, 0, 32, b));
                    let (least, most) = range(32, d);
                    if !sat.is_empty() {
                        value = value.clamp(least, most);
                    }
                    let low = part(value as u64 & 0xffff_ffff, 0, 32, d);
                    let third = part(z, 0, 32, d);
                    (match then {
                        ".add" => low + third,
                        ".min" => low.min(third),
                        ".max" => low.max(third),
                        _ => low,
                    }) as u64
                });
            }
        }
    }
}

#[test]
fn parts() {
    let cases = cases();
    for (suffix, width) in [("2", 16), ("4", 8)] {
        for name in ["vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg"] {
            for [d, a, b] in TYPES {
                for rest in ["", ".sat", ".add"] {
                    let text = format!("{name}{suffix}.{d}.{a}.{b}{rest} %d, %a, %b, %c;");
                    check_on(&text, "u32", &["u32"; 3], &cases, |[x, y, z, _]| {
                        let values = (0..32 / width).map(|n| operate(name, part(x, n, width, a), part(y, n, width, b)));
                        let (least, most) = range(width, d);
                        match rest {
                            ".add" => values.fold(z, |sum, value| sum.wrapping_add(value as u64)),
                            _ => values.enumerate().fold(0, |word, (n, value)| {
                                let value = if rest == ".sat" { value.clamp(least, most) } else { value };
                                word | (value as u64 & (u64::MAX >> (64 - width))) << (n as u32 * width)
                            }),
                        }
                    });
                }
            }
        }
    }
}
