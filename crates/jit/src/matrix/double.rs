//! Products of doubles: a chain of fused multiply-adds from the first product to the last, each rounded as the instruction says.

use super::operation::Product;
use super::{LANES, Role, WORDS};
use crate::soft::{F64, Mode, fused};

/// Elements of the largest factor (`m16n8k16`).
const FACTOR: usize = 16 * 16;

pub(super) fn multiply(product: Product, words: &mut [[u32; WORDS]; LANES]) {
    let (mut a, mut b, mut sums) = ([0f64; FACTOR], [0f64; FACTOR], [0f64; FACTOR]);
    product.gather(Role::A, words, |at, bits| a[at] = f64::from_bits(bits));
    product.gather(Role::B, words, |at, bits| b[at] = f64::from_bits(bits));
    product.gather(Role::C, words, |at, bits| sums[at] = f64::from_bits(bits));
    match Mode::of(product.rounding) {
        Mode::Nearest => nearest(product, &a, &b, &mut sums),
        mode => {
            chain(product, &a, &b, &mut sums, |a, b, sum| {
                f64::from_bits(fused(F64, a.to_bits(), b.to_bits(), sum.to_bits(), mode))
            });
        }
    }
    product.scatter(words, |at| {
        let sum = sums[at];
        if sum.is_nan() { F64.nan() } else { sum.to_bits() }
    });
}

/// All chains, with one step of them.
#[inline(always)]
fn chain(
    product: Product,
    a: &[f64; FACTOR],
    b: &[f64; FACTOR],
    sums: &mut [f64; FACTOR],
    step: impl Fn(f64, f64, f64) -> f64,
) {
    let (m, n, k) = (product.shape.m as usize, product.shape.n as usize, product.shape.k as usize);
    for (a, sums) in a.chunks_exact(k).zip(sums.chunks_exact_mut(n)).take(m) {
        for (a, b) in a.iter().zip(b.chunks_exact(n)) {
            sums.iter_mut().zip(b).for_each(|(sum, b)| *sum = step(*a, *b, *sum));
        }
    }
}

fn nearest(product: Product, a: &[f64; FACTOR], b: &[f64; FACTOR], sums: &mut [f64; FACTOR]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { nearest_fused(product, a, b, sums) };
    }
    chain(product, a, b, sums, f64::mul_add);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx,fma")]
fn nearest_fused(product: Product, a: &[f64; FACTOR], b: &[f64; FACTOR], sums: &mut [f64; FACTOR]) {
    chain(product, a, b, sums, |a, b, sum| a.mul_add(b, sum));
}
