//! Sums, products, quotients and roots as exact numbers (or cut with a sticky bit far below the last bit of any format),
//! so that one rounding gives the right result in every mode.

use super::rounding::{Exact, Format, Mode, Number};

impl Exact {
    fn product(self, other: Exact) -> Exact {
        Exact {
            negative: self.negative != other.negative,
            // At most 53 bits each.
            size: self.size * other.size,
            exponent: self.exponent + other.exponent,
        }
    }

    /// Leading bit at bit 125.
    fn normalised(self) -> Exact {
        if self.size == 0 {
            return self;
        }
        let by = self.size.leading_zeros() as i32 - 2;
        Exact { size: self.size << by, exponent: self.exponent - by, ..self }
    }

    /// Moves the last bit up to `exponent`, keeping what falls off as a sticky bit.
    fn raised(self, exponent: i32) -> u128 {
        match exponent - self.exponent {
            ..=0 => self.size,
            by @ 1..=127 => self.size >> by | u128::from(self.size & ((1 << by) - 1) != 0),
            _ => u128::from(self.size != 0),
        }
    }

    fn sum(self, other: Exact, mode: Mode) -> Exact {
        if self.size == 0 && other.size == 0 {
            let negative = if self.negative == other.negative { self.negative } else { mode == Mode::Down };
            return Exact { negative, ..self };
        }
        if self.size == 0 {
            return other;
        }
        if other.size == 0 {
            return self;
        }
        // Numbers have at most 106 bits, so at least 20 zeros follow them: where a bit falls off, the exponents are so far
        // apart that at most one leading bit cancels.
        let (mut large, mut small) = (self.normalised(), other.normalised());
        if (small.exponent, small.size) > (large.exponent, large.size) {
            (large, small) = (small, large);
        }
        let added = small.raised(large.exponent);
        if large.negative == small.negative {
            return Exact { size: large.size + added, ..large };
        }
        let size = large.size - added;
        let negative = if size == 0 { mode == Mode::Down } else { large.negative };
        Exact { negative, size, exponent: large.exponent }
    }

    fn quotient(self, by: Exact) -> Exact {
        // A numerator of 126 bits over at most 53: more than 70 bits of quotient.
        let top = self.normalised();
        let (size, rest) = (top.size / by.size, top.size % by.size);
        Exact {
            negative: self.negative != by.negative,
            size: size | u128::from(rest != 0),
            exponent: top.exponent - by.exponent,
        }
    }

    fn root(self) -> Exact {
        let mut top = self.normalised();
        if top.exponent % 2 != 0 {
            top = Exact { size: top.size << 1, exponent: top.exponent - 1, ..top };
        }
        let size = top.size.isqrt();
        Exact { size: size | u128::from(size * size != top.size), exponent: top.exponent / 2, ..top }
    }
}

/// `a + b`
pub(crate) fn add(format: Format, a: u64, b: u64, mode: Mode) -> u64 {
    plus(format.unpack(a), format.unpack(b), mode).pack(format, mode, false)
}

/// `a * b`
pub(crate) fn multiply(format: Format, a: u64, b: u64, mode: Mode) -> u64 {
    times(format.unpack(a), format.unpack(b)).pack(format, mode, false)
}

/// `a * b + c`, rounded once.
pub(crate) fn fma(format: Format, a: u64, b: u64, c: u64, mode: Mode) -> u64 {
    let product = times(format.unpack(a), format.unpack(b));
    plus(product, format.unpack(c), mode).pack(format, mode, false)
}

/// `a / b`
pub(crate) fn divide(format: Format, a: u64, b: u64, mode: Mode) -> u64 {
    let (a, b) = (format.unpack(a), format.unpack(b));
    let negative = a.negative() != b.negative();
    let zero = Exact { negative, size: 0, exponent: 0 };
    let quotient = match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) | (Number::Infinite { .. }, Number::Infinite { .. }) => Number::Nan,
        (Number::Infinite { .. }, _) => Number::Infinite { negative },
        (_, Number::Infinite { .. }) => Number::Finite(zero),
        (Number::Finite(a), Number::Finite(b)) => match (a.size, b.size) {
            (0, 0) => Number::Nan,
            (0, _) => Number::Finite(zero),
            (_, 0) => Number::Infinite { negative },
            _ => Number::Finite(a.quotient(b)),
        },
    };
    quotient.pack(format, mode, false)
}

/// The square root.
pub(crate) fn square_root(format: Format, a: u64, mode: Mode) -> u64 {
    let root = match format.unpack(a) {
        Number::Finite(a) if a.size == 0 => Number::Finite(a),
        Number::Finite(a) if !a.negative => Number::Finite(a.root()),
        Number::Infinite { negative: false } => Number::Infinite { negative: false },
        _ => Number::Nan,
    };
    root.pack(format, mode, false)
}

fn times(a: Number, b: Number) -> Number {
    let negative = a.negative() != b.negative();
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Infinite { .. }, Number::Finite(other)) | (Number::Finite(other), Number::Infinite { .. }) => {
            if other.size == 0 { Number::Nan } else { Number::Infinite { negative } }
        }
        (Number::Infinite { .. }, Number::Infinite { .. }) => Number::Infinite { negative },
        (Number::Finite(a), Number::Finite(b)) => Number::Finite(a.product(b)),
    }
}

fn plus(a: Number, b: Number, mode: Mode) -> Number {
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Infinite { negative }, Number::Infinite { negative: other }) => {
            if negative == other {
                Number::Infinite { negative }
            } else {
                Number::Nan
            }
        }
        (Number::Infinite { negative }, _) | (_, Number::Infinite { negative }) => Number::Infinite { negative },
        (Number::Finite(a), Number::Finite(b)) => Number::Finite(a.sum(b, mode)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rounding::{F32, F64};
    use super::*;
    use proptest::prelude::*;

    fn same32(ours: u64, theirs: f32) -> bool {
        ours as u32 == theirs.to_bits() || f32::from_bits(ours as u32).is_nan() && theirs.is_nan()
    }

    fn same64(ours: u64, theirs: f64) -> bool {
        ours == theirs.to_bits() || f64::from_bits(ours).is_nan() && theirs.is_nan()
    }

    /// Down <= exact <= up, one step apart unless exact; nearest is one of them; zero is the inner one.
    fn brackets(format: Format, of: impl Fn(Mode) -> u64) -> Result<(), TestCaseError> {
        let [nearest, zero, down, up] = [Mode::Nearest, Mode::Zero, Mode::Down, Mode::Up].map(of);
        if format.unpack(nearest) == Number::Nan {
            return Ok(());
        }
        prop_assert!(nearest == down || nearest == up);
        let sign = format.sign_bit();
        let rank = |bits: u64| if bits & sign != 0 { -((bits & !sign) as i128) } else { bits as i128 };
        prop_assert!((0..=1).contains(&(rank(up) - rank(down))));
        let inner = if rank(down).abs() < rank(up).abs() { down } else { up };
        prop_assert!(zero == inner || rank(up) == rank(down));
        Ok(())
    }

    impl Format {
        fn sign_bit(self) -> u64 {
            1 << (self.exponent + self.fraction)
        }
    }

    /// Bits that meet: exponents near each other or at the ends, fractions with long runs.
    fn meeting64() -> impl Strategy<Value = u64> {
        let exponent = prop_oneof![Just(0u64), Just(1), Just(2046), 960u64..1090, 0u64..2048];
        let fraction =
            prop_oneof![any::<u64>(), (0u32..52).prop_map(|n| 1 << n), (0u32..52).prop_map(|n| !0 << n), Just(0)];
        (any::<bool>(), exponent, fraction)
            .prop_map(|(sign, e, f)| u64::from(sign) << 63 | e << 52 | f & ((1 << 52) - 1))
    }

    fn meeting32() -> impl Strategy<Value = u32> {
        let exponent = prop_oneof![Just(0u32), Just(1), Just(254), 100u32..150, 0u32..256];
        let fraction =
            prop_oneof![any::<u32>(), (0u32..23).prop_map(|n| 1 << n), (0u32..23).prop_map(|n| !0 << n), Just(0)];
        (any::<bool>(), exponent, fraction)
            .prop_map(|(sign, e, f)| u32::from(sign) << 31 | e << 23 | f & ((1 << 23) - 1))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn nearest_f32_agrees_with_the_processor(a in meeting32(), b in meeting32(), c in meeting32()) {
            let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
            let (a, b, c) = (a.into(), b.into(), c.into());
            prop_assert!(same32(add(F32, a, b, Mode::Nearest), x + y));
            prop_assert!(same32(multiply(F32, a, b, Mode::Nearest), x * y));
            prop_assert!(same32(divide(F32, a, b, Mode::Nearest), x / y));
            prop_assert!(same32(square_root(F32, a, Mode::Nearest), x.sqrt()));
            prop_assert!(same32(fma(F32, a, b, c, Mode::Nearest), x.mul_add(y, z)));
        }

        #[test]
        fn nearest_f64_agrees_with_the_processor(a in meeting64(), b in meeting64(), c in meeting64()) {
            let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
            prop_assert!(same64(add(F64, a, b, Mode::Nearest), x + y));
            prop_assert!(same64(multiply(F64, a, b, Mode::Nearest), x * y));
            prop_assert!(same64(divide(F64, a, b, Mode::Nearest), x / y));
            prop_assert!(same64(square_root(F64, a, Mode::Nearest), x.sqrt()));
            prop_assert!(same64(fma(F64, a, b, c, Mode::Nearest), x.mul_add(y, z)));
        }

        #[test]
        fn directed_modes_bracket(a in meeting64(), b in meeting64(), c in meeting64()) {
            brackets(F64, |mode| add(F64, a, b, mode))?;
            brackets(F64, |mode| multiply(F64, a, b, mode))?;
            brackets(F64, |mode| divide(F64, a, b, mode))?;
            brackets(F64, |mode| square_root(F64, a, mode))?;
            brackets(F64, |mode| fma(F64, a, b, c, mode))?;
        }

        /// Sums and products of f32 are exact or bracketed in f64, whose sign of error says which way to round.
        #[test]
        fn directed_f32_products(a in meeting32(), b in meeting32()) {
            let exact = f64::from(f32::from_bits(a)) * f64::from(f32::from_bits(b));
            prop_assume!(exact.is_finite());
            let down = f32::from_bits(multiply(F32, a.into(), b.into(), Mode::Down) as u32);
            let up = f32::from_bits(multiply(F32, a.into(), b.into(), Mode::Up) as u32);
            prop_assert!(f64::from(down) <= exact && exact <= f64::from(up));
            prop_assert!(down == up || down.next_up() == up);
            prop_assert!((down == up) == (f64::from(exact as f32) == exact));
        }
    }

    #[test]
    fn zeros_of_sums() {
        let (zero, minus) = (0u64, 1 << 63);
        let (one, minus_one) = (1f64.to_bits(), (-1f64).to_bits());
        for (a, b, near, down) in [
            (zero, minus, zero, minus),
            (minus, minus, minus, minus),
            (one, minus_one, zero, minus),
            (zero, zero, zero, zero),
        ] {
            assert_eq!(add(F64, a, b, Mode::Nearest), near);
            assert_eq!(add(F64, a, b, Mode::Down), down);
        }
    }
}
