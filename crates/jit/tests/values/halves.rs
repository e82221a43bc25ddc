//! f16 and bf16 arithmetic, single and packed.

use crate::harness::{Inputs, check, check_on, interesting};
use half::{bf16, f16};

/// A half format as doubles, where sums and products of two halves round once more exactly like the real ones.
#[derive(Clone, Copy)]
struct Format {
    name: &'static str,
    read: fn(u16) -> f64,
    write: fn(f64) -> u16,
    subnormal: fn(u16) -> bool,
}

pub fn write_f16(x: f64) -> u16 {
    if x.is_nan() { 0x7fff } else { f16::from_f64(rounded(x, -14, 10)).to_bits() }
}

pub fn write_bf16(x: f64) -> u16 {
    if x.is_nan() { 0x7fff } else { bf16::from_f64(rounded(x, -126, 7)).to_bits() }
}

/// Rounded to the precision of a format, so that converting it is exact: `half` goes through f32 and rounds twice.
fn rounded(x: f64, least: i32, fraction: i32) -> f64 {
    if x == 0.0 || x.is_infinite() {
        return x;
    }
    let exponent = ((x.to_bits() >> 52 & 2047) as i32 - 1023).max(least);
    let step = 2f64.powi(exponent - fraction);
    (x / step).round_ties_even() * step
}

const F16: Format = Format {
    name: "f16",
    read: |bits| f16::from_bits(bits).to_f64(),
    write: write_f16,
    subnormal: |bits| bits & 0x7c00 == 0,
};
const BF16: Format = Format {
    name: "bf16",
    read: |bits| bf16::from_bits(bits).to_f64(),
    write: write_bf16,
    subnormal: |bits| bits & 0x7f80 == 0,
};

impl Format {
    fn flush(self, bits: u16) -> u16 {
        if (self.subnormal)(bits) { bits & 0x8000 } else { bits }
    }

    /// Checks an instruction on single and packed values: `TYPE` in it is the type.
    fn check(self, instruction: &str, sources: usize, of: impl Fn([u16; 3]) -> u16) {
        let single = instruction.replace("TYPE", self.name);
        check(&single, self.name, &vec![self.name; sources], |[x, y, z, _]| of([x as u16, y as u16, z as u16]).into());
        let packed = format!("{}x2", self.name);
        let values = interesting(&packed, 3);
        let mut cases: Vec<Inputs> = Vec::new();
        for x in &values {
            for (n, y) in values.iter().enumerate() {
                cases.push([*x, *y, values[(n * 7 + 3) % values.len()], 0]);
            }
        }
        let instruction = instruction.replace("TYPE", &packed);
        check_on(&instruction, &packed, &vec![&*packed; sources], &cases, |case| {
            let [low, high] = [0, 16].map(|by| of([0, 1, 2].map(|n: usize| (case[n] >> by) as u16)));
            u64::from(low) | u64::from(high) << 16
        });
    }

    fn arithmetic(self) {
        let Self { read, write, .. } = self;
        self.check("add.TYPE %d, %a, %b;", 2, |[x, y, _]| write(read(x) + read(y)));
        self.check("sub.rn.TYPE %d, %a, %b;", 2, |[x, y, _]| write(read(x) - read(y)));
        self.check("mul.TYPE %d, %a, %b;", 2, |[x, y, _]| write(read(x) * read(y)));
        self.check("fma.rn.TYPE %d, %a, %b, %c;", 3, |[x, y, z]| self.fused(x, y, z));
        self.check("fma.rn.relu.TYPE %d, %a, %b, %c;", 3, |[x, y, z]| {
            let value = self.fused(x, y, z);
            if value & 0x8000 != 0 { 0 } else { value }
        });
        self.check("neg.TYPE %d, %a;", 1, |[x, ..]| x ^ 0x8000);
        self.check("abs.TYPE %d, %a;", 1, |[x, ..]| x & 0x7fff);
    }

    /// `x * y + z` rounded once: exact products, sums rounded to odd.
    fn fused(self, x: u16, y: u16, z: u16) -> u16 {
        let [x, y, z] = [x, y, z].map(self.read);
        let product = x * y;
        let sum = product + z;
        let part = sum - product;
        let rest = (product - (sum - part)) + (z - part);
        if rest == 0.0 || rest.is_nan() || sum.to_bits() & 1 == 1 {
            return (self.write)(sum);
        }
        let away = (rest > 0.0) == (sum > 0.0);
        (self.write)(f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 }))
    }

    fn extremes(self) {
        let read = self.read;
        let least = move |x: u16, y: u16, sign: f64, nan: bool| {
            let (a, b) = (sign * read(x), sign * read(y));
            match (a.is_nan(), b.is_nan()) {
                (true, true) => 0x7fff,
                (true, _) | (_, true) if nan => 0x7fff,
                (true, false) => y,
                (false, true) => x,
                _ if a < b => x,
                _ if b < a => y,
                _ if a.is_sign_negative() => x,
                _ => y,
            }
        };
        self.check("min.TYPE %d, %a, %b;", 2, |[x, y, _]| least(x, y, 1.0, false));
        self.check("max.TYPE %d, %a, %b;", 2, |[x, y, _]| least(x, y, -1.0, false));
        self.check("min.NaN.TYPE %d, %a, %b;", 2, |[x, y, _]| least(x, y, 1.0, true));
        self.check("max.NaN.TYPE %d, %a, %b;", 2, |[x, y, _]| least(x, y, -1.0, true));
        self.check("max.xorsign.abs.TYPE %d, %a, %b;", 2, |[x, y, _]| {
            let value = least(x & 0x7fff, y & 0x7fff, -1.0, false);
            if value == 0x7fff { value } else { value & 0x7fff | (x ^ y) & 0x8000 }
        });
    }

    fn functions(self, power: &str) {
        let Self { read, write, .. } = self;
        let flush = move |x: f32| if x.abs() < f32::MIN_POSITIVE { 0f32.copysign(x) } else { x };
        self.check(power, 1, |[x, ..]| write(flush(libm::exp2f(flush(read(x) as f32))).into()));
        self.check("tanh.approx.TYPE %d, %a;", 1, |[x, ..]| write(libm::tanhf(read(x) as f32).into()));
    }
}

#[test]
fn f16_arithmetic() {
    F16.arithmetic();
    F16.extremes();
    F16.functions("ex2.approx.TYPE %d, %a;");
}

#[test]
fn bf16_arithmetic() {
    BF16.arithmetic();
    BF16.extremes();
    BF16.functions("ex2.approx.ftz.TYPE %d, %a;");
}

#[test]
fn f16_flushes_and_saturates() {
    let Format { read, write, .. } = F16;
    let f = |bits| F16.flush(bits);
    F16.check("add.ftz.TYPE %d, %a, %b;", 2, |[x, y, _]| f(write(read(f(x)) + read(f(y)))));
    F16.check("mul.ftz.TYPE %d, %a, %b;", 2, |[x, y, _]| f(write(read(f(x)) * read(f(y)))));
    let saturate = |x: f64| if x > 0.0 { x.min(1.0) } else { 0.0 };
    F16.check("add.sat.TYPE %d, %a, %b;", 2, |[x, y, _]| write(saturate(read(x) + read(y))));
    F16.check("mul.ftz.sat.TYPE %d, %a, %b;", 2, |[x, y, _]| f(write(saturate(read(f(x)) * read(f(y))))));
    F16.check("fma.rn.sat.TYPE %d, %a, %b, %c;", 3, |[x, y, z]| {
        let value = F16.fused(x, y, z);
        write(saturate(read(value)))
    });
    F16.check("fma.rn.ftz.TYPE %d, %a, %b, %c;", 3, |[x, y, z]| f(F16.fused(f(x), f(y), f(z))));
}
