//! f32 and f64 arithmetic in every rounding mode.

use crate::harness::{Code, Inputs, Row, check, check_on, interesting};

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn b(value: f32) -> u64 {
    value.to_bits().into()
}

const MODES: [&str; 4] = ["rn", "rz", "rm", "rp"];

/// The f32 that an exact number rounds to: `near` is the one to nearest, `error` the sign of the exact number minus it.
fn directed(near: f32, error: f64, mode: &str) -> f32 {
    if mode == "rn" || near.is_nan() || error.is_nan() {
        return near;
    }
    if near.is_infinite() {
        // An overflow, unless the error says that the infinity is exact.
        let inward = match mode {
            "rz" => true,
            "rm" => near > 0.0,
            _ => near < 0.0,
        };
        return if error != 0.0 && inward { near.signum() * f32::MAX } else { near };
    }
    match mode {
        "rm" if error < 0.0 => near.next_down(),
        "rp" if error > 0.0 => near.next_up(),
        "rz" if error < 0.0 && (near > 0.0 || near == 0.0 && near.is_sign_positive()) && near != 0.0 => {
            near.next_down()
        }
        "rz" if error > 0.0 && near < 0.0 => near.next_up(),
        _ => near,
    }
}

/// Sum of two doubles in f32, and the sign of its error.
fn sum(x: f64, y: f64, mode: &str) -> f32 {
    let total = x + y;
    if x.is_infinite() || y.is_infinite() {
        return total as f32;
    }
    let of_y = total - x;
    let rest = (x - (total - of_y)) + (y - of_y);
    // Round to odd, so that rounding to f32 rounds once.
    let odd = if rest == 0.0 || total.to_bits() & 1 == 1 {
        total
    } else if (rest > 0.0) == (total > 0.0) {
        f64::from_bits(total.to_bits() + 1)
    } else {
        f64::from_bits(total.to_bits() - 1)
    };
    let near = odd as f32;
    let infinite = total.is_infinite();
    if odd == 0.0 && mode == "rm" && !(x.is_sign_positive() && y.is_sign_positive()) && total.is_sign_positive() {
        return -0.0;
    }
    directed(near, if infinite { 0.0 } else { odd - f64::from(near) }, mode)
}

#[test]
fn f32_in_every_mode() {
    for mode in MODES {
        check(&format!("add.{mode}.f32 %d, %a, %b;"), "f32", &["f32"; 2], |[x, y, ..]| {
            b(sum(f(x).into(), f(y).into(), mode))
        });
        check(&format!("sub.{mode}.f32 %d, %a, %b;"), "f32", &["f32"; 2], |[x, y, ..]| {
            b(sum(f(x).into(), (-f(y)).into(), mode))
        });
        check(&format!("mul.{mode}.f32 %d, %a, %b;"), "f32", &["f32"; 2], |[x, y, ..]| {
            let exact = f64::from(f(x)) * f64::from(f(y));
            let near = exact as f32;
            b(directed(near, if exact.is_infinite() { 0.0 } else { exact - f64::from(near) }, mode))
        });
        check(&format!("fma.{mode}.f32 %d, %a, %b, %c;"), "f32", &["f32"; 3], |[x, y, z, _]| {
            b(sum(f64::from(f(x)) * f64::from(f(y)), f(z).into(), mode))
        });
        check(&format!("div.{mode}.f32 %d, %a, %b;"), "f32", &["f32"; 2], |[x, y, ..]| b(quotient(f(x), f(y), mode)));
        check(&format!("rcp.{mode}.f32 %d, %a;"), "f32", &["f32"], |[x, ..]| b(quotient(1.0, f(x), mode)));
        check(&format!("sqrt.{mode}.f32 %d, %a;"), "f32", &["f32"], |[x, ..]| {
            let root = f(x).sqrt();
            let rest = f64::from(root).mul_add(-f64::from(root), f(x).into());
            b(directed(root, if root.is_infinite() { 0.0 } else { rest }, mode))
        });
    }
}

fn quotient(x: f32, y: f32, mode: &str) -> f32 {
    let near = x / y;
    if near.is_infinite() {
        let exact = x.is_infinite() || y == 0.0;
        return directed(near, if exact { 0.0 } else { 1.0 }, mode);
    }
    if y.is_infinite() {
        return near;
    }
    let rest = f64::from(near).mul_add(-f64::from(y), x.into());
    directed(near, if y < 0.0 { -rest } else { rest }, mode)
}

#[test]
fn f64_to_nearest() {
    let two = &["f64"; 2];
    check("add.f64 %d, %a, %b;", "f64", two, |[x, y, ..]| (d(x) + d(y)).to_bits());
    check("sub.rn.f64 %d, %a, %b;", "f64", two, |[x, y, ..]| (d(x) - d(y)).to_bits());
    check("mul.f64 %d, %a, %b;", "f64", two, |[x, y, ..]| (d(x) * d(y)).to_bits());
    check("div.rn.f64 %d, %a, %b;", "f64", two, |[x, y, ..]| (d(x) / d(y)).to_bits());
    check("fma.rn.f64 %d, %a, %b, %c;", "f64", &["f64"; 3], |[x, y, z, _]| d(x).mul_add(d(y), d(z)).to_bits());
    check("mad.rn.f64 %d, %a, %b, %c;", "f64", &["f64"; 3], |[x, y, z, _]| d(x).mul_add(d(y), d(z)).to_bits());
    check("sqrt.rn.f64 %d, %a;", "f64", &["f64"], |[x, ..]| d(x).sqrt().to_bits());
    check("rcp.rn.f64 %d, %a;", "f64", &["f64"], |[x, ..]| (1.0 / d(x)).to_bits());
    check("abs.f64 %d, %a;", "f64", &["f64"], |[x, ..]| d(x).abs().to_bits());
    check("neg.f64 %d, %a;", "f64", &["f64"], |[x, ..]| (-d(x)).to_bits());
    check("copysign.f64 %d, %a, %b;", "f64", two, |[x, y, ..]| d(y).copysign(d(x)).to_bits());
}

/// One third and its like, whose neighbours are known.
#[test]
fn f64_directed() {
    let third = 1.0f64 / 3.0; // below the exact third
    let tenth = 0.1f64; // above the exact tenth
    let root = 2f64.sqrt(); // above the exact root
    let tiny = 1e-30;
    for (instruction, x, y, z, results) in [
        ("div.MODE.f64 %d, %a, %b;", 1.0, 3.0, 0.0, [third, third, third, third.next_up()]),
        ("div.MODE.f64 %d, %a, %b;", -1.0, 3.0, 0.0, [-third, -third, -third.next_up(), -third]),
        ("div.MODE.f64 %d, %a, %b;", 1.0, 10.0, 0.0, [tenth, tenth.next_down(), tenth.next_down(), tenth]),
        ("rcp.MODE.f64 %d, %a;", 3.0, 0.0, 0.0, [third, third, third, third.next_up()]),
        ("sqrt.MODE.f64 %d, %a;", 2.0, 0.0, 0.0, [root, root.next_down(), root.next_down(), root]),
        ("add.MODE.f64 %d, %a, %b;", 1.0, tiny, 0.0, [1.0, 1.0, 1.0, 1f64.next_up()]),
        ("sub.MODE.f64 %d, %a, %b;", 1.0, tiny, 0.0, [1.0, 1f64.next_down(), 1f64.next_down(), 1.0]),
        ("mul.MODE.f64 %d, %a, %b;", tenth, 10.0, 0.0, [1.0, 1.0, 1.0, 1f64.next_up()]),
        ("fma.MODE.f64 %d, %a, %b, %c;", 1.0, 1.0, -tiny, [1.0, 1f64.next_down(), 1f64.next_down(), 1.0]),
        ("mul.MODE.f64 %d, %a, %b;", 1e300, 1e300, 0.0, [f64::INFINITY, f64::MAX, f64::MAX, f64::INFINITY]),
        ("mul.MODE.f64 %d, %a, %b;", 1e-300, -1e-300, 0.0, [-0.0, -0.0, -5e-324, -0.0]),
    ] {
        for (mode, expected) in MODES.iter().zip(results) {
            let case: Inputs = [f64::to_bits(x), f64::to_bits(y), f64::to_bits(z), 0];
            let instruction = instruction.replace("MODE", mode);
            check_on(&instruction, "f64", &["f64"; 3], &[case], |_| expected.to_bits());
        }
    }
}

fn flush(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE { 0f32.copysign(x) } else { x }
}

#[test]
fn flushing_and_saturation() {
    let two = &["f32"; 2];
    check("add.ftz.f32 %d, %a, %b;", "f32", two, |[x, y, ..]| b(flush(flush(f(x)) + flush(f(y)))));
    check("mul.ftz.f32 %d, %a, %b;", "f32", two, |[x, y, ..]| b(flush(flush(f(x)) * flush(f(y)))));
    check("fma.rn.ftz.f32 %d, %a, %b, %c;", "f32", &["f32"; 3], |[x, y, z, _]| {
        b(flush(flush(f(x)).mul_add(flush(f(y)), flush(f(z)))))
    });
    check("abs.ftz.f32 %d, %a;", "f32", &["f32"], |[x, ..]| b(flush(f(x)).abs()));
    check("neg.ftz.f32 %d, %a;", "f32", &["f32"], |[x, ..]| b(-flush(f(x))));
    check("sqrt.rn.ftz.f32 %d, %a;", "f32", &["f32"], |[x, ..]| b(flush(f(x)).sqrt()));
    let saturate = |x: f32| if x > 0.0 { x.min(1.0) } else { 0.0 };
    check("add.sat.f32 %d, %a, %b;", "f32", two, |[x, y, ..]| b(saturate(f(x) + f(y))));
    check("mul.ftz.sat.f32 %d, %a, %b;", "f32", two, |[x, y, ..]| b(saturate(flush(flush(f(x)) * flush(f(y))))));
    check("fma.rn.sat.f32 %d, %a, %b, %c;", "f32", &["f32"; 3], |[x, y, z, _]| b(saturate(f(x).mul_add(f(y), f(z)))));
}

#[test]
fn a_product_and_a_sum_stay_two_roundings() {
    let code = "{ .reg .f32 %p; mul.f32 %p, %a, %b; add.f32 %d, %p, %c; }";
    check(code, "f32", &["f32"; 3], |[x, y, z, _]| b(f(x) * f(y) + f(z)));
}

/// The lesser, or the greater by negation; numbers win over NaN.
fn least(x: f32, y: f32) -> f32 {
    match (x.is_nan(), y.is_nan()) {
        (true, true) => f(0x7fff_ffff),
        (true, false) => y,
        (false, true) => x,
        _ if x.to_bits() == y.to_bits() => x,
        _ if x == y => -0.0,
        _ if x < y => x,
        _ => y,
    }
}

fn greatest(x: f32, y: f32) -> f32 {
    let value = -least(-x, -y);
    if value.is_nan() { f(0x7fff_ffff) } else { value }
}

/// As [`check`], but NaN must be the canonical one.
fn check_bits(instruction: &str, inputs: &[&str], model: impl Fn(Inputs) -> f32) {
    // Read as plain bits, so that every bit counts.
    let moved = instruction.replace("%d", "%g");
    let code = format!("{{ .reg .f32 %g; {moved} mov.b32 %d, %g; }}");
    check(&code, "b32", inputs, |case| b(model(case)));
}

#[test]
fn extremes() {
    let two = &["f32"; 2];
    check_bits("min.f32 %d, %a, %b;", two, |[x, y, ..]| least(f(x), f(y)));
    check_bits("max.f32 %d, %a, %b;", two, |[x, y, ..]| greatest(f(x), f(y)));
    check_bits("min.ftz.f32 %d, %a, %b;", two, |[x, y, ..]| least(flush(f(x)), flush(f(y))));
    let nan = |x: f32, y: f32, value: f32| if x.is_nan() || y.is_nan() { f(0x7fff_ffff) } else { value };
    check_bits("min.NaN.f32 %d, %a, %b;", two, |[x, y, ..]| nan(f(x), f(y), least(f(x), f(y))));
    check_bits("max.NaN.f32 %d, %a, %b;", two, |[x, y, ..]| nan(f(x), f(y), greatest(f(x), f(y))));
    let signed = |x: f32, y: f32, value: f32| {
        let sign = if x.is_sign_negative() != y.is_sign_negative() { -1.0 } else { 1.0f32 };
        if value.is_nan() { f(0x7fff_ffff) } else { value.copysign(sign) }
    };
    check_bits("min.xorsign.abs.f32 %d, %a, %b;", two, |[x, y, ..]| signed(f(x), f(y), least(f(x).abs(), f(y).abs())));
    check_bits("max.NaN.xorsign.abs.f32 %d, %a, %b;", two, |[x, y, ..]| {
        signed(f(x), f(y), nan(f(x), f(y), greatest(f(x).abs(), f(y).abs())))
    });
    check_bits("max.f32 %d, %a, %b, %c;", &["f32"; 3], |[x, y, z, _]| greatest(greatest(f(x), f(y)), f(z)));
    check("min.f64 %d, %a, %b;", "f64", &["f64"; 2], |[x, y, ..]| {
        let (x, y) = (d(x), d(y));
        if x == y { if x.is_sign_negative() { x } else { y } } else { x.min(y) }.to_bits()
    });
    check("max.f64 %d, %a, %b;", "f64", &["f64"; 2], |[x, y, ..]| {
        let (x, y) = (d(x), d(y));
        if x == y { if x.is_sign_negative() { y } else { x } } else { x.max(y) }.to_bits()
    });
}

#[test]
fn tests_of_class() {
    use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
    type Test = fn(std::num::FpCategory) -> bool;
    let rows: [(&str, Test); 6] = [
        ("finite", |c| matches!(c, Zero | Subnormal | Normal)),
        ("infinite", |c| c == Infinite),
        ("number", |c| c != Nan),
        ("notanumber", |c| c == Nan),
        ("normal", |c| c == Normal),
        ("subnormal", |c| c == Subnormal),
    ];
    for (name, of) in rows {
        check(&format!("testp.{name}.f32 %d, %a;"), "pred", &["f32"], |[x, ..]| of(f(x).classify()).into());
        check(&format!("testp.{name}.f64 %d, %a;"), "pred", &["f64"], |[x, ..]| of(d(x).classify()).into());
    }
    check("copysign.f32 %d, %a, %b;", "f32", &["f32"; 2], |[x, y, ..]| b(f(y).copysign(f(x))));
}

/// Distance in units in the last place.
fn distance(x: f32, y: f32) -> u32 {
    if x == y || x.is_nan() && y.is_nan() {
        return 0;
    }
    let rank =
        |x: f32| if x.is_sign_negative() { -i64::from(x.to_bits() & 0x7fff_ffff) } else { i64::from(x.to_bits()) };
    rank(x).abs_diff(rank(y)).try_into().unwrap_or(u32::MAX)
}

#[test]
fn approximations() {
    let rows: [Row; 8] = [
        ("sin.approx.f32 %d, %a;", f64::sin),
        ("cos.approx.f32 %d, %a;", f64::cos),
        ("lg2.approx.f32 %d, %a;", f64::log2),
        ("ex2.approx.f32 %d, %a;", f64::exp2),
        ("tanh.approx.f32 %d, %a;", f64::tanh),
        ("rsqrt.approx.f32 %d, %a;", |x| 1.0 / x.sqrt()),
        ("rcp.approx.f32 %d, %a;", |x| 1.0 / x),
        ("sqrt.approx.f32 %d, %a;", f64::sqrt),
    ];
    let mut values = interesting("f32", 1);
    values.extend((-200..200).map(|n| b(n as f32 * 0.37)));
    let cases: Vec<Inputs> = values.iter().map(|value| [*value, 0, 0, 0]).collect();
    for (instruction, of) in rows {
        for (case, result) in cases.iter().zip(Code::new(instruction, &["f32"], &["f32"]).run(&cases)) {
            let expected = of(f(case[0]).into()) as f32;
            assert!(distance(f(result[0]), expected) <= 1, "{instruction} {:e}: {:e}", f(case[0]), f(result[0]));
        }
    }
    for instruction in ["div.approx.f32 %d, %a, %b;", "div.full.f32 %d, %a, %b;"] {
        check(instruction, "f32", &["f32"; 2], |[x, y, ..]| b(f(x) / f(y)));
    }
    check("ex2.approx.ftz.f32 %d, %a;", "f32", &["f32"], |[x, ..]| b(flush(libm::exp2f(flush(f(x))))));
    check("rsqrt.approx.f64 %d, %a;", "f64", &["f64"], |[x, ..]| (1.0 / d(x).sqrt()).to_bits());
}

#[test]
fn coarse_doubles_have_an_empty_low_word() {
    let flush = |x: f64| if x.abs() < f64::MIN_POSITIVE { 0f64.copysign(x) } else { x };
    let rows: [Row; 2] =
        [("rcp.approx.ftz.f64 %d, %a;", |x| 1.0 / x), ("rsqrt.approx.ftz.f64 %d, %a;", |x| 1.0 / x.sqrt())];
    for (instruction, of) in rows {
        check(instruction, "f64", &["f64"], |[x, ..]| flush(of(flush(d(x)))).to_bits() & !0xffff_ffff);
    }
}

#[test]
fn pairs() {
    let two = |[x, y, z, _]: Inputs, of: fn(f32, f32, f32) -> f32| {
        b(of(f(x), f(y), f(z))) | b(of(f(x >> 32), f(y >> 32), f(z >> 32))) << 32
    };
    let parts: Vec<u64> = [0.0f32, 1.0, -1.5, 0.1, 3e38, 1e-40, 1e10].iter().map(|x| b(*x)).collect();
    let values: Vec<u64> = parts.iter().zip(parts.iter().cycle().skip(3)).map(|(low, high)| low | high << 32).collect();
    let mut cases = Vec::new();
    for x in &values {
        for y in &values {
            cases.push([*x, *y, values[2], 0]);
        }
    }
    let row = |instruction: &str, of: fn(f32, f32, f32) -> f32| {
        check_on(instruction, "f32x2", &["f32x2"; 3], &cases, |case| two(case, of));
    };
    row("add.rn.f32x2 %d, %a, %b;", |x, y, _| x + y);
    row("sub.f32x2 %d, %a, %b;", |x, y, _| x - y);
    row("mul.rn.ftz.f32x2 %d, %a, %b;", |x, y, _| flush(flush(x) * flush(y)));
    row("fma.rn.f32x2 %d, %a, %b, %c;", |x, y, z| x.mul_add(y, z));
    row("mul.rz.f32x2 %d, %a, %b;", |x, y, _| {
        let exact = f64::from(x) * f64::from(y);
        directed(exact as f32, exact - f64::from(exact as f32), "rz")
    });
}
