//! Conversions between float formats and integers in every rounding mode (PTX ISA, section 9.7.9.21, `cvt`).

use super::rounding::{BF16, E4M3, E5M2, Exact, F16, F32, F64, Format, Mode, Number, TF32};

/// How [`convert`] converts, packed into a word for generated code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spec {
    /// Index of the source: a format as in [`Spec::index`], or 14 and 15 for unsigned and signed 64-bit integers.
    pub from: u32,
    /// Index of the destination format.
    pub to: u32,
    /// A [`Mode`].
    pub mode: u32,
    /// To [0, 1], NaN to 0.
    pub sat: bool,
    /// Negative numbers to 0.
    pub relu: bool,
    /// Never to an infinity.
    pub satfinite: bool,
}

/// Source index of an unsigned integer.
pub(crate) const UNSIGNED: u32 = 14;
/// Source index of a signed integer.
pub(crate) const SIGNED: u32 = 15;

const FORMATS: [Format; 7] = [F16, BF16, F32, F64, TF32, E4M3, E5M2];

impl Spec {
    /// Number of a format.
    pub fn index(format: Format) -> u32 {
        FORMATS.iter().position(|f| *f == format).unwrap_or(0) as u32
    }

    /// As generated code passes it.
    pub fn word(self) -> u32 {
        self.from
            | self.to << 4
            | self.mode << 8
            | u32::from(self.sat) << 12
            | u32::from(self.relu) << 13
            | u32::from(self.satfinite) << 14
    }
}

/// Converts bits of one format, or an integer, to bits of another format.
pub(crate) extern "C" fn convert(bits: u64, spec: u32) -> u64 {
    let integer = |negative, size: u64| Number::Finite(Exact { negative, size: size.into(), exponent: 0 });
    let number = match spec & 15 {
        UNSIGNED => integer(false, bits),
        SIGNED => integer((bits as i64) < 0, (bits as i64).unsigned_abs()),
        format => FORMATS[format as usize % FORMATS.len()].unpack(bits),
    };
    let format = FORMATS[(spec >> 4 & 15) as usize % FORMATS.len()];
    let (sat, relu, satfinite) = (spec >> 12 & 1 == 1, spec >> 13 & 1 == 1, spec >> 14 & 1 == 1);
    if let (Number::Nan, false) = (number, sat || relu)
        && let Some(bits) = kept_nan(bits, spec)
    {
        return bits;
    }
    let zero = Number::Finite(Exact { negative: false, size: 0, exponent: 0 });
    let number = match number {
        Number::Nan if sat => zero,
        number if (sat || relu) && number.negative() => zero,
        Number::Infinite { .. } if sat => integer(false, 1),
        Number::Finite(exact) if sat && above_one(exact) => integer(false, 1),
        number => number,
    };
    number.pack(format, Mode::of(spec >> 8 & 15), satfinite)
}

/// The NaN where one passes through, as it does in two conversions of an H200 (litmus/forms.cu): a double's becomes a quiet one with the upper
/// part of its payload, and rounding to nearest away from zero cuts an f32 (which leaves an infinity of some).
fn kept_nan(bits: u64, spec: u32) -> Option<u64> {
    match (spec & 15, spec >> 4 & 15, Mode::of(spec >> 8 & 15)) {
        (from, to, _) if from == Spec::index(F64) && to == Spec::index(F16) => {
            Some(bits >> 48 & 0x8000 | 0x7e00 | bits >> 42 & 0x3ff)
        }
        (from, to, Mode::Away) if from == Spec::index(F32) && to == Spec::index(TF32) => Some(bits & 0xffff_e000),
        _ => None,
    }
}

fn above_one(number: Exact) -> bool {
    128 - number.size.leading_zeros() as i32 + number.exponent > 0
        // 2^0 itself has its leading bit at exponent 0: clamping it to one changes nothing.
        && number.size != 0
}

/// `cvt.rn.f16.f32`: the one conversion to a small format that programs use all the time.
pub(crate) extern "C" fn f16_of_f32(a: f32) -> u16 {
    let bits = a.to_bits();
    let (sign, size) = ((bits >> 16 & 0x8000) as u16, bits & 0x7fff_ffff);
    match size {
        0x7f80_0001.. => 0x7fff,
        // From half a unit above the largest number.
        0x477f_f000.. => sign | 0x7c00,
        // Adding 0.5 leaves a subnormal's bits, rounded, at the low end.
        ..0x3880_0000 => sign | ((f32::from_bits(size) + 0.5).to_bits() - 0.5f32.to_bits()) as u16,
        _ => sign | ((size - (112 << 23) + 0xfff + (size >> 13 & 1)) >> 13) as u16,
    }
}

/// A double to f16, to nearest.
pub(crate) fn f16_of_f64(a: f64) -> u16 {
    F64.unpack(a.to_bits()).pack(F16, Mode::Nearest, false) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(from: Format, to: Format, mode: Mode) -> u32 {
        Spec { from: Spec::index(from), to: Spec::index(to), mode: mode as u32, ..Spec::default() }.word()
    }

    #[test]
    fn every_f16_survives_f32_and_back() {
        for bits in 0..=u16::MAX {
            let wide = convert(bits.into(), spec(F16, F32, Mode::Nearest));
            let expected = half::f16::from_bits(bits);
            let value = f32::from_bits(wide as u32);
            if expected.is_nan() {
                assert_eq!(wide, 0x7fff_ffff);
                assert_eq!(f16_of_f32(value), 0x7fff);
                continue;
            }
            assert_eq!(value.to_bits(), expected.to_f32().to_bits());
            assert_eq!(f16_of_f32(value), bits);
        }
    }

    #[test]
    fn rounding_to_f16_and_bf16_agrees_with_half() {
        // Every exponent, with the fractions at and next to ties.
        for top in 0..=0xffffu32 {
            for low in [0u32, 1, 0xfff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001, 0xffff] {
                let value = f32::from_bits(top << 16 | low);
                if value.is_nan() {
                    continue;
                }
                let bits = u64::from(value.to_bits());
                let expected = half::f16::from_f32(value).to_bits();
                assert_eq!(f16_of_f32(value), expected, "{value:e}");
                assert_eq!(convert(bits, spec(F32, F16, Mode::Nearest)) as u16, expected, "{value:e}");
                let expected = half::bf16::from_f32(value).to_bits();
                assert_eq!(convert(bits, spec(F32, BF16, Mode::Nearest)) as u16, expected, "{value:e}");
            }
        }
    }

    #[test]
    fn eight_bit_formats() {
        let to = |format: Format, value: f32| {
            let from = Spec::index(F32);
            let spec = Spec { from, to: Spec::index(format), satfinite: true, ..Spec::default() };
            convert(value.to_bits().into(), spec.word()) as u8
        };
        for (value, e4m3, e5m2) in [
            (0.0, 0, 0),
            (-0.0, 0x80, 0x80),
            (1.0, 0x38, 0x3c),
            (-2.0, 0xc0, 0xc0),
            (448.0, 0x7e, 0x5f),
            (1e9, 0x7e, 0x7b),
            (f32::NEG_INFINITY, 0xfe, 0xfb),
            (f32::NAN, 0x7f, 0x7f),
            (0.001953125, 0x01, 0x18),
            (1.0625, 0x38, 0x3c),
            (1.1875, 0x3a, 0x3d),
        ] {
            assert_eq!(to(E4M3, value), e4m3, "{value}");
            assert_eq!(to(E5M2, value), e5m2, "{value}");
        }
        for bits in 0..=255u64 {
            for format in [E4M3, E5M2] {
                let wide = convert(bits, spec(format, F16, Mode::Nearest));
                if wide & 0x7fff <= 0x7c00 {
                    assert_eq!(convert(wide, spec(F16, format, Mode::Nearest)), bits);
                }
            }
        }
    }

    #[test]
    fn integers_round_in_every_mode() {
        let to = |value: i64, mode: Mode| {
            let spec = Spec { from: SIGNED, to: Spec::index(F32), mode: mode as u32, ..Spec::default() };
            f32::from_bits(convert(value as u64, spec.word()) as u32)
        };
        let value = (1 << 24) + 1;
        assert_eq!(to(value, Mode::Nearest), 16_777_216.0);
        assert_eq!(to(value, Mode::Zero), 16_777_216.0);
        assert_eq!(to(value, Mode::Up), 16_777_218.0);
        assert_eq!(to(-value, Mode::Down), -16_777_218.0);
        assert_eq!(to(-value, Mode::Up), -16_777_216.0);
        assert_eq!(to(i64::MIN, Mode::Nearest), i64::MIN as f32);
        assert_eq!(to(0, Mode::Down).to_bits(), 0);
    }

    #[test]
    fn clamps() {
        let with = |value: f32, spec: Spec| {
            convert(value.to_bits().into(), Spec { from: Spec::index(F32), to: Spec::index(F16), ..spec }.word())
        };
        let sat = Spec { sat: true, ..Spec::default() };
        for (value, bits) in
            [(2.0, 0x3c00), (1.0, 0x3c00), (0.5, 0x3800), (-1.0, 0), (-0.0, 0), (f32::NAN, 0), (f32::INFINITY, 0x3c00)]
        {
            assert_eq!(with(value, sat), bits, "{value}");
        }
        let relu = Spec { relu: true, ..Spec::default() };
        for (value, bits) in [(2.0, 0x4000), (-2.0, 0), (f32::NEG_INFINITY, 0), (f32::NAN, 0x7fff)] {
            assert_eq!(with(value, relu), bits, "{value}");
        }
    }
}
