//! Binary float formats, and the rounding of an exact number to one of them in every mode (PTX ISA, section 9.7.3, table
//! of rounding modifiers).

/// A rounding mode, as generated code passes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Mode {
    /// To nearest, ties to even.
    Nearest,
    /// To zero.
    Zero,
    /// Down.
    Down,
    /// Up.
    Up,
    /// To nearest, ties away from zero.
    Away,
}

impl Mode {
    /// The mode of a number.
    pub fn of(number: u32) -> Self {
        match number {
            1 => Mode::Zero,
            2 => Mode::Down,
            3 => Mode::Up,
            4 => Mode::Away,
            _ => Mode::Nearest,
        }
    }
}

/// A float format of at most 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits of the fraction.
    pub fraction: u32,
    /// False for `e4m3`, whose largest exponent holds numbers and one NaN.
    pub infinite: bool,
    /// Unused low bits: `tf32` is the upper part of an f32.
    pub shift: u32,
}

const fn format(exponent: u32, fraction: u32) -> Format {
    Format { exponent, fraction, infinite: true, shift: 0 }
}

pub(crate) const F16: Format = format(5, 10);
pub(crate) const BF16: Format = format(8, 7);
pub(crate) const F32: Format = format(8, 23);
pub(crate) const F64: Format = format(11, 52);
pub(crate) const TF32: Format = Format { shift: 13, ..format(8, 10) };
pub(crate) const E4M3: Format = Format { infinite: false, ..format(4, 3) };
pub(crate) const E5M2: Format = format(5, 2);

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Bits of the largest finite number.
    pub fn largest(self) -> u64 {
        let top = ((1u64 << self.exponent) - 1) << self.fraction;
        if self.infinite { top - 1 } else { self.nan() - 1 }
    }

    /// Bits of the NaN that operations make.
    pub fn nan(self) -> u64 {
        // Doubles keep payloads, and make this one.
        if self == F64 { 0xfff8_0000_0000_0000 } else { (1 << (self.exponent + self.fraction)) - 1 }
    }

    fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    /// Reads bits.
    pub fn unpack(self, bits: u64) -> Number {
        let bits = bits >> self.shift;
        let negative = bits & self.sign() != 0;
        let size = bits & (self.sign() - 1);
        let (exponent, fraction) = ((size >> self.fraction) as i32, size & ((1 << self.fraction) - 1));
        if size > self.largest() {
            return if self.infinite && fraction == 0 { Number::Infinite { negative } } else { Number::Nan };
        }
        let implicit = if exponent == 0 { 0 } else { 1 << self.fraction };
        Number::Finite(Exact {
            negative,
            size: u128::from(fraction | implicit),
            exponent: exponent.max(1) - self.bias() - self.fraction as i32,
        })
    }

    /// Bits of an infinity, or of the largest number where the format has none.
    pub fn infinity(self, negative: bool) -> u64 {
        let size = if self.infinite { self.largest() + 1 } else { self.largest() };
        self.signed(negative, size)
    }

    fn signed(self, negative: bool, size: u64) -> u64 {
        (size | if negative { self.sign() } else { 0 }) << self.shift
    }

    /// Rounds an exact number. `clamp`: what is too large becomes the largest number, never an infinity.
    pub fn pack(self, number: Exact, mode: Mode, clamp: bool) -> u64 {
        let Exact { negative, size, exponent } = number;
        if size == 0 {
            return self.signed(negative, 0);
        }
        let lowest = 1 - self.bias();
        let top = 127 - size.leading_zeros() as i32;
        // Exponent of the leading bit, and what the last kept bit is worth.
        let leading = (top + exponent).max(lowest);
        let drop = leading - self.fraction as i32 - exponent;
        let (kept, rest, half) = match drop {
            ..=0 => (size << -drop, 0, 1),
            1..=127 => (size >> drop, size & ((1 << drop) - 1), 1 << (drop - 1)),
            // Less than half of the last bit, and more than nothing.
            _ => (0, 1, 2),
        };
        let up = match mode {
            Mode::Nearest => rest > half || rest == half && kept & 1 == 1,
            Mode::Away => rest >= half,
            Mode::Zero => false,
            Mode::Down => negative && rest != 0,
            Mode::Up => !negative && rest != 0,
        };
        let kept = kept as u64 + u64::from(up);
        // A kept leading bit adds one to the exponent field, as does a carry out of the fraction.
        let bits = ((leading - lowest).min(1 << 14) as u64) << self.fraction;
        let bits = bits + kept;
        if bits <= self.largest() {
            return self.signed(negative, bits);
        }
        let inward = match mode {
            Mode::Nearest | Mode::Away => false,
            Mode::Zero => true,
            Mode::Down => !negative,
            Mode::Up => negative,
        };
        if inward || clamp { self.signed(negative, self.largest()) } else { self.infinity(negative) }
    }
}

/// The number `±size * 2^exponent`. When part of a number was cut off, the lowest bit of `size` is set (and `size` has
/// enough bits that only its being there matters).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exact {
    pub negative: bool,
    pub size: u128,
    pub exponent: i32,
}

/// What bits of a format mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Nan,
    Infinite { negative: bool },
    Finite(Exact),
}

impl Number {
    /// True below zero, and for -0.
    pub fn negative(self) -> bool {
        match self {
            Number::Nan => false,
            Number::Infinite { negative } | Number::Finite(Exact { negative, .. }) => negative,
        }
    }

    /// Rounds to a format.
    pub fn pack(self, format: Format, mode: Mode, clamp: bool) -> u64 {
        match self {
            Number::Nan => format.nan() << format.shift,
            Number::Infinite { negative } if clamp => format.signed(negative, format.largest()),
            Number::Infinite { negative } => format.infinity(negative),
            Number::Finite(exact) => format.pack(exact, mode, clamp),
        }
    }
}
