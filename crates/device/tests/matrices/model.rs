//! What elements mean, and what sums of their products should be.

/// Bits of an element of a type.
pub fn bits(ty: &str) -> u32 {
    match ty {
        "b1" => 1,
        "s4" | "u4" => 4,
        "s8" | "u8" | "e4m3" | "e5m2" => 8,
        "f16" | "bf16" => 16,
        "f64" => 64,
        _ => 32,
    }
}

pub fn is_integer(ty: &str) -> bool {
    matches!(ty, "s8" | "u8" | "s4" | "u4" | "b1" | "s32")
}

/// Exponent bits, fraction bits, and unused bits below, of a float type.
fn float(ty: &str) -> (u32, u32, u32) {
    match ty {
        "f16" => (5, 10, 0),
        "bf16" => (8, 7, 0),
        "tf32" => (8, 10, 13),
        "e4m3" => (4, 3, 0),
        "e5m2" => (5, 2, 0),
        "f32" => (8, 23, 0),
        _ => (11, 52, 0),
    }
}

/// The number that bits of a type stand for.
pub fn value(ty: &str, bits: u64) -> f64 {
    let signed = |width: u32| ((bits as i64) << (64 - width) >> (64 - width)) as f64;
    match ty {
        "s4" => return signed(4),
        "s8" => return signed(8),
        "s32" => return signed(32),
        "u4" | "u8" | "b1" => return bits as f64,
        "f64" => return f64::from_bits(bits),
        _ => {}
    }
    let (exponent, fraction, unused) = float(ty);
    let bits = bits >> unused;
    let part = |from: u32, width: u32| bits >> from & ((1 << width) - 1);
    let (field, rest) = (part(fraction, exponent) as i32, part(0, fraction) as f64);
    let sign = if part(fraction + exponent, 1) == 1 { -1.0 } else { 1.0 };
    let scale = 2f64.powi(-(fraction as i32));
    let bias = (1 << (exponent - 1)) - 1;
    if field == (1 << exponent) - 1 && ty != "e4m3" {
        return if rest == 0.0 { sign * f64::INFINITY } else { f64::NAN };
    }
    if ty == "e4m3" && bits & 0x7f == 0x7f {
        return f64::NAN;
    }
    let number =
        if field == 0 { rest * scale * 2f64.powi(1 - bias) } else { (1.0 + rest * scale) * 2f64.powi(field - bias) };
    sign * number
}

/// Bits of a small integer in a type that has it.
pub fn of_integer(ty: &str, number: i64) -> u64 {
    if is_integer(ty) {
        return number as u64 & (u64::MAX >> (64 - bits(ty)));
    }
    if ty == "f64" {
        return (number as f64).to_bits();
    }
    let (exponent, fraction, unused) = float(ty);
    let wide = (number as f64).to_bits();
    let sign = wide >> 63 << (exponent + fraction);
    if number == 0 {
        return 0;
    }
    let power = (wide >> 52 & 2047) as i64 - 1023;
    let bias = (1 << (exponent - 1)) - 1;
    let cut = wide << 12 >> 12;
    assert!(cut << (12 + fraction) == 0, "{number} is exact in {ty}");
    (sign | ((power + bias) as u64) << fraction | cut >> (52 - fraction)) << unused
}

/// The exponent of a number in a type, before anything is normalised; `None` for zero.
fn exponent(ty: &str, number: f64) -> Option<i32> {
    let least = 2 - (1 << (float(ty).0 - 1));
    (number != 0.0).then(|| ((number.to_bits() >> 52 & 2047) as i32 - 1023).max(least))
}

/// What is published of the sums of `sm_90`: terms aligned to the largest exponent and cut after 25 bits, an exact sum, cut to f32 or
/// rounded to f16; 16 products at a time.
pub fn float_sum(types: [&str; 4], terms: &[(f64, f64)], summand: f64) -> f64 {
    let [d, a, b, c] = types;
    let (mut sum, mut ty) = (summand, c);
    let groups: Vec<_> = terms.chunks(16).collect();
    for (n, group) in groups.iter().enumerate() {
        let products: Vec<f64> = group.iter().map(|(x, y)| x * y).collect();
        if products.iter().chain([&sum]).any(|term| !term.is_finite()) {
            sum = products.iter().chain([&sum]).filter(|term| !term.is_finite()).sum();
        } else {
            let of_products = group.iter().filter_map(|(x, y)| Some(exponent(a, *x)? + exponent(b, *y)?));
            let Some(largest) = of_products.chain(exponent(ty, sum)).max() else {
                sum = 0.0;
                continue;
            };
            let unit = 2f64.powi(largest - 25);
            let total: i128 = products.iter().chain([&sum]).map(|term| (term / unit).trunc() as i128).sum();
            sum = total as f64 * unit;
        }
        let last = n + 1 == groups.len();
        ty = if last { d } else { "f32" };
        sum = if ty == "f16" { to_f16(sum) } else { cut_to_f32(sum) };
    }
    sum
}

fn cut_to_f32(number: f64) -> f64 {
    let near = number as f32;
    if near.is_infinite() && number.is_finite() && number.abs() < 2f64.powi(128) {
        return f32::MAX.copysign(near).into();
    }
    if near.is_finite() && f64::from(near).abs() > number.abs() {
        let inner = if near > 0.0 { near.next_down() } else { near.next_up() };
        return inner.into();
    }
    near.into()
}

fn to_f16(number: f64) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let power = ((number.to_bits() >> 52 & 2047) as i32 - 1023).max(-14);
    let step = 2f64.powi(power - 10);
    let near = (number / step).round_ties_even() * step;
    if near.abs() > 65504.0 { f64::INFINITY.copysign(near) } else { near }
}
