//! Products of small floats with sums in `.f32` or `.f16`.
//!
//! PTX promises products of full precision and sums of at least that of `.f32`, in any order. What is done here is what is published of
//! the units of `sm_90`: up to 16 products and the summand are aligned to the largest exponent among them, cut after 25 fractional
//! bits, added exactly, and the sum is cut to `.f32` (or rounded to the nearest `.f16`). Longer sums are done 16 products at a time. A sum
//! of n terms is thus within `(n + 2) * 2^-24` of the exact one, relative to the largest term. Every NaN is the one that PTX calls canonical.
//!
//! An H200 gave the same bits in all that litmus/forms.cu tries, but for the last ones of some sums of 8-bit floats.

use super::operation::{Element, Product};
use super::{LANES, Role, WORDS};
use crate::soft::{BF16, E4M3, E5M2, Exact, F16, F32, Format, Mode, Number, TF32};

/// Elements of the largest factor (`m16n8k32`).
const FACTOR: usize = 16 * 32;
/// Elements of the largest result.
const RESULT: usize = 256;
/// Products that are summed at once.
const TOGETHER: usize = 16;
/// Fractional bits that are kept below the largest exponent.
const KEPT: i32 = 25;
/// The exponent of what takes no part, and the smallest that a sum is aligned to: below all products.
const NONE: i32 = -300;

/// A matrix, unpacked.
struct Terms<const N: usize> {
    values: [f64; N],
    /// Exponents of the leading bits, before products are normalised.
    exponents: [i32; N],
    /// Whether all are finite.
    finite: bool,
}

impl<const N: usize> Terms<N> {
    fn new() -> Self {
        Self { values: [0.0; N], exponents: [NONE; N], finite: true }
    }

    fn put(&mut self, format: Format, at: usize, bits: u64) {
        let bits = bits >> format.shift;
        let fraction = bits & ((1 << format.fraction) - 1);
        let field = (bits >> format.fraction & ((1 << format.exponent) - 1)) as i32;
        let bias = (1 << (format.exponent - 1)) - 1;
        let negative = bits >> (format.fraction + format.exponent) & 1 == 1;
        let size = bits & ((1 << (format.fraction + format.exponent)) - 1);
        let size = if size > format.largest() {
            self.finite = false;
            if format.infinite && fraction == 0 { f64::INFINITY } else { f64::NAN }
        } else if field == 0 {
            self.exponents[at] = if fraction == 0 { NONE } else { 1 - bias };
            fraction as f64 * power(1 - bias - format.fraction as i32)
        } else {
            self.exponents[at] = field - bias;
            f64::from_bits(((field - bias + 1023) as u64) << 52 | fraction << (52 - format.fraction))
        };
        self.values[at] = if negative { -size } else { size };
    }
}

/// A power of two that a double holds as a normal number.
#[inline(always)]
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

fn format(element: Element) -> Format {
    match element {
        Element::F16 => F16,
        Element::Bf16 => BF16,
        Element::Tf32 => TF32,
        Element::E4m3 => E4M3,
        Element::E5m2 => E5M2,
        _ => F32,
    }
}

pub(super) fn multiply(product: Product, words: &mut [[u32; WORDS]; LANES]) {
    let k = product.shape.k as usize;
    let (mut a, mut b, mut c) = (Terms::<FACTOR>::new(), Terms::<FACTOR>::new(), Terms::<RESULT>::new());
    let [of_a, of_b, of_c] = [product.a, product.b, product.c].map(format);
    product.gather(Role::A, words, |at, bits| a.put(of_a, at, bits));
    product.gather(Role::B, words, |at, bits| b.put(of_b, at, bits));
    product.gather(Role::C, words, |at, bits| c.put(of_c, at, bits));
    let mut results = [0u32; RESULT];
    for first in (0..k).step_by(TOGETHER) {
        let terms = first..(first + TOGETHER).min(k);
        let last = terms.end == k;
        let into = if last { format(product.d) } else { F32 };
        let finite = a.finite && b.finite && c.finite;
        if finite {
            sum(product, &a, &b, &c, terms, into, &mut results);
        } else {
            sum_any(product, &a, &b, &c, terms, into, &mut results);
        }
        if !last {
            let count = (product.shape.m * product.shape.n) as usize;
            c = Terms::new();
            (0..count).for_each(|at| c.put(F32, at, results[at].into()));
        }
    }
    product.scatter(words, |at| results[at].into());
}

type Span = std::ops::Range<usize>;

fn sum(
    product: Product,
    a: &Terms<FACTOR>,
    b: &Terms<FACTOR>,
    c: &Terms<RESULT>,
    terms: Span,
    into: Format,
    results: &mut [u32; RESULT],
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { sum_wide(product, a, b, c, terms, into, results) };
    }
    sum_finite(product, a, b, c, terms, into, results);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn sum_wide(
    product: Product,
    a: &Terms<FACTOR>,
    b: &Terms<FACTOR>,
    c: &Terms<RESULT>,
    terms: Span,
    into: Format,
    results: &mut [u32; RESULT],
) {
    sum_finite(product, a, b, c, terms, into, results);
}

/// Columns that are worked on at once, so that their sums stay in registers.
const COLUMNS: usize = 8;

/// Sums where all terms are finite.
#[inline(always)]
fn sum_finite(
    product: Product,
    a: &Terms<FACTOR>,
    b: &Terms<FACTOR>,
    c: &Terms<RESULT>,
    terms: Span,
    into: Format,
    results: &mut [u32; RESULT],
) {
    let (m, n, k) = (product.shape.m as usize, product.shape.n as usize, product.shape.k as usize);
    for row in 0..m {
        for first in (0..n).step_by(COLUMNS) {
            let at = row * n + first;
            let mut largest = [NONE + KEPT; COLUMNS];
            let of = &c.exponents[at..at + COLUMNS];
            largest.iter_mut().zip(of).for_each(|(largest, c)| *largest = (*largest).max(*c));
            for term in terms.clone() {
                let a = a.exponents[row * k + term];
                let of = &b.exponents[term * n + first..][..COLUMNS];
                largest.iter_mut().zip(of).for_each(|(largest, b)| *largest = (*largest).max(a + b));
            }
            let scale = largest.map(|largest| power(KEPT - largest));
            let mut sums = [0f64; COLUMNS];
            // What is cut has less than 28 bits: a product is below 4, aligned to an exponent no larger than the largest.
            for ((sum, c), scale) in sums.iter_mut().zip(&c.values[at..at + COLUMNS]).zip(&scale) {
                // SAFETY: see above; all values are finite.
                *sum = f64::from(unsafe { (c * scale).to_int_unchecked::<i32>() });
            }
            for term in terms.clone() {
                let a = a.values[row * k + term];
                let of = &b.values[term * n + first..][..COLUMNS];
                for ((sum, b), scale) in sums.iter_mut().zip(of).zip(&scale) {
                    // SAFETY: see above.
                    *sum += f64::from(unsafe { (a * b * scale).to_int_unchecked::<i32>() });
                }
            }
            for (column, sum) in sums.into_iter().enumerate() {
                results[at + column] = rounded(sum * power(largest[column] - KEPT), into);
            }
        }
    }
}

/// Sums in which some term is infinite or no number.
fn sum_any(
    product: Product,
    a: &Terms<FACTOR>,
    b: &Terms<FACTOR>,
    c: &Terms<RESULT>,
    terms: Span,
    into: Format,
    results: &mut [u32; RESULT],
) {
    sum_finite(product, &a.finite_part(), &b.finite_part(), &c.finite_part(), terms.clone(), into, results);
    let (m, n, k) = (product.shape.m as usize, product.shape.n as usize, product.shape.k as usize);
    for (at, result) in results.iter_mut().enumerate().take(m * n) {
        let products = terms.clone().map(|term| a.values[at / n * k + term] * b.values[term * n + at % n]);
        // Finite terms change nothing beside one that is not.
        let total: f64 = products.chain([c.values[at]]).filter(|term| !term.is_finite()).sum();
        if total.is_nan() {
            *result = into.nan() as u32;
        } else if total.is_infinite() {
            *result = into.infinity(total < 0.0) as u32;
        }
    }
}

impl<const N: usize> Terms<N> {
    /// The same with zeros for what is not finite.
    fn finite_part(&self) -> Self {
        let mut part = Self::new();
        for at in (0..N).filter(|&at| self.values[at].is_finite()) {
            (part.values[at], part.exponents[at]) = (self.values[at], self.exponents[at]);
        }
        part
    }
}

/// Bits of an exact sum in `.f32`, cut, or in `.f16`, rounded.
fn rounded(sum: f64, into: Format) -> u32 {
    if into == F32 {
        let near = sum as f32;
        if near.is_infinite() {
            // What lies below 2^128 is cut to the largest number.
            let beyond = sum.abs() >= 2f64.powi(128);
            return if beyond { near } else { f32::MAX.copysign(near) }.to_bits();
        }
        // One step towards zero from a number that is too large.
        let above = f64::from(near).abs() > sum.abs();
        return near.to_bits() - u32::from(above);
    }
    let negative = sum.is_sign_negative();
    let bits = sum.abs().to_bits();
    if bits == 0 {
        return Number::Finite(Exact { negative, size: 0, exponent: 0 }).pack(into, Mode::Nearest, false) as u32;
    }
    // Sums have few bits and are far from the smallest doubles.
    let exact = Exact {
        negative,
        size: u128::from(bits & ((1 << 52) - 1) | 1 << 52),
        exponent: (bits >> 52) as i32 - 1023 - 52,
    };
    Number::Finite(exact).pack(into, Mode::Nearest, false) as u32
}
