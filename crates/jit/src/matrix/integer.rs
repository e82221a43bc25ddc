//! Products of integers and of single bits: exact, then cut to 32 bits or clamped.

use super::operation::{Element, Product};
use super::{LANES, Role, WORDS};

/// Elements of the largest factor (`m16n8k64`), and of the largest result.
const FACTOR: usize = 16 * 64;
const RESULT: usize = 256;

/// `.s8`, `.u8`, `.s4`, `.u4`
pub(super) fn multiply(product: Product, words: &mut [[u32; WORDS]; LANES]) {
    let (n, k) = (product.shape.n as usize, product.shape.k as usize);
    let (mut a, mut b, mut sums) = ([0i32; FACTOR], [0i32; FACTOR], [0i32; RESULT]);
    let mut c = [0i32; RESULT];
    let widened = |element: Element| {
        let unused = 64 - element.bits();
        let signed = matches!(element, Element::S8 | Element::S4);
        move |bits: u64| if signed { (((bits << unused) as i64) >> unused) as i32 } else { bits as i32 }
    };
    let (of_a, of_b) = (widened(product.a), widened(product.b));
    product.gather(Role::A, words, |at, bits| a[at] = of_a(bits));
    product.gather(Role::B, words, |at, bits| b[at] = of_b(bits));
    product.gather(Role::C, words, |at, bits| c[at] = bits as i32);
    for (a, sums) in a.chunks_exact(k).zip(sums.chunks_exact_mut(n)).take(product.shape.m as usize) {
        for (a, b) in a.iter().zip(b.chunks_exact(n)) {
            // At most 64 products of 16 bits.
            sums.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
        }
    }
    product.scatter(words, |at| {
        let sum = if product.clamps { c[at].saturating_add(sums[at]) } else { c[at].wrapping_add(sums[at]) };
        u64::from(sum as u32)
    });
}

/// `.b1`: how many bits of the rows of A and the columns of B differ, or are both set.
pub(super) fn multiply_bits(product: Product, words: &mut [[u32; WORDS]; LANES]) {
    let (n, k) = (product.shape.n as usize, product.shape.k as usize);
    // Lines of up to 256 bits.
    let (mut a, mut b) = ([[0u64; 4]; 16], [[0u64; 4]; 8]);
    let mut c = [0u32; RESULT];
    let set = |line: &mut [u64; 4], at: usize, bit: u64| line[at / 64 % 4] |= bit << (at % 64);
    product.gather(Role::A, words, |at, bit| set(&mut a[at / k], at % k, bit));
    product.gather(Role::B, words, |at, bit| set(&mut b[at % n], at / n, bit));
    product.gather(Role::C, words, |at, bits| c[at] = bits as u32);
    product.scatter(words, |at| {
        let (row, column) = (&a[at / n], &b[at % n]);
        let meet = |(x, y): (&u64, &u64)| if product.and { x & y } else { x ^ y };
        let count: u32 = row.iter().zip(column).map(|pair| meet(pair).count_ones()).sum();
        c[at].wrapping_add(count).into()
    });
}
