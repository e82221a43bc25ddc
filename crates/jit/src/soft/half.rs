//! Fused multiply-add of f16 and bf16, rounded once.
//!
//! A double holds the product of two of them exactly. The sum is rounded to a double *to odd*: an inexact one gets an
//! odd last bit, so that the second rounding sees on which side of every tie it lies.

use super::convert::f16_of_f64;
use super::rounding::{BF16, F64, Mode};

/// `a * b + c` as a double rounded to odd.
fn fused(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let sum = product + c;
    // The error of the addition, exact.
    let of_c = sum - product;
    let error = (product - (sum - of_c)) + (c - of_c);
    if error == 0.0 || !sum.is_finite() || sum.to_bits() & 1 == 1 {
        return sum;
    }
    // The exact value lies between the sum and its odd neighbour on the side of the error.
    if (error > 0.0) == (sum > 0.0) { f64::from_bits(sum.to_bits() + 1) } else { f64::from_bits(sum.to_bits() - 1) }
}

/// `fma.rn.f16`
pub(crate) extern "C" fn f16_fma(a: f32, b: f32, c: f32) -> u16 {
    f16_of_f64(fused(a.into(), b.into(), c.into()))
}

/// `fma.rn.bf16`
pub(crate) extern "C" fn bf16_fma(a: f32, b: f32, c: f32) -> u16 {
    let sum = fused(a.into(), b.into(), c.into());
    F64.unpack(sum.to_bits()).pack(BF16, Mode::Nearest, false) as u16
}

#[cfg(test)]
mod tests {
    use super::super::exact;
    use super::super::rounding::{F16, Format};
    use super::*;
    use proptest::prelude::*;

    fn widened(format: Format, bits: u16) -> f32 {
        let bits = format.unpack(bits.into()).pack(super::super::rounding::F32, Mode::Nearest, false);
        f32::from_bits(bits as u32)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn fma_rounds_once(a: u16, b: u16, c: u16) {
            let x = [a, b, c].map(|bits| widened(F16, bits));
            let expected = exact::fma(F16, a.into(), b.into(), c.into(), Mode::Nearest) as u16;
            prop_assert_eq!(f16_fma(x[0], x[1], x[2]), expected);
            let x = [a, b, c].map(|bits| widened(BF16, bits));
            let expected = exact::fma(BF16, a.into(), b.into(), c.into(), Mode::Nearest) as u16;
            prop_assert_eq!(bf16_fma(x[0], x[1], x[2]), expected);
        }

        /// Exponents such that the product and the summand interact.
        #[test]
        fn near_fma_rounds_once(a in 0x3000u16..0x4400, b in 0x3000u16..0x4400, c in 0x0u16..0x4c00, sign: bool) {
            let c = c | u16::from(sign) << 15;
            let x = [a, b, c].map(|bits| widened(F16, bits));
            let expected = exact::fma(F16, a.into(), b.into(), c.into(), Mode::Nearest) as u16;
            prop_assert_eq!(f16_fma(x[0], x[1], x[2]), expected);
        }
    }
}
