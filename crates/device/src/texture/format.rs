//! What a texel is: its channels, how they read as numbers, and how formatted stores write them.

use half::f16;

/// One channel (`cudaChannelFormatKind` with its bits, `CUarray_format`).
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    Unsigned8,
    Unsigned16,
    Unsigned32,
    Signed8,
    Signed16,
    Signed32,
    Half,
    Float,
}

impl Element {
    /// Bytes of a channel.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Unsigned8 | Self::Signed8 => 1,
            Self::Unsigned16 | Self::Signed16 | Self::Half => 2,
            Self::Unsigned32 | Self::Signed32 | Self::Float => 4,
        }
    }

    /// Whether texels are floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Half | Self::Float)
    }

    /// Whether integers of this size may be read as fractions of their range.
    pub fn may_be_fraction(self) -> bool {
        !self.is_float() && self.bytes() < 4
    }

    fn is_signed(self) -> bool {
        matches!(self, Self::Signed8 | Self::Signed16 | Self::Signed32)
    }
}

/// How texels read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As they are; halves become `f32`.
    Element,
    /// Integers as fractions: `0..=1`, or `-1..=1` if they have a sign.
    Fraction,
    /// As fractions, the first three channels through the sRGB curve.
    Srgb,
}

/// The format of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Its channels' kind.
    pub element: Element,
    /// 1, 2 or 4.
    pub channels: u32,
    /// The format itself says that integers are fractions (`UNORM`, `SNORM`).
    pub fraction: bool,
}

impl Format {
    /// Bytes of a texel.
    pub fn bytes(self) -> u32 {
        self.element.bytes() * self.channels
    }

    fn channel(self, texel: &[u8; 16], channel: u32) -> u32 {
        let bytes = self.element.bytes();
        let from = (channel * bytes) as usize;
        let raw = (0..bytes as usize).rev().fold(0, |value, n| value << 8 | u32::from(texel[(from + n) & 15]));
        let shift = 32 - 8 * bytes;
        if self.element.is_signed() { ((raw << shift) as i32 >> shift) as u32 } else { raw }
    }

    /// What a fetch gives: integers, or the bits of `f32`.
    pub fn decode(self, texel: &[u8; 16], reading: Reading) -> [u32; 4] {
        if self.element == Element::Float {
            // Most textures hold these.
            let [x, mut y, mut z, mut w] =
                [0, 4, 8, 12].map(|at| u32::from_le_bytes([texel[at], texel[at + 1], texel[at + 2], texel[at + 3]]));
            if self.channels < 4 {
                (z, w) = (0, 1f32.to_bits());
                y = if self.channels < 2 { 0 } else { y };
            }
            return [x, y, z, w];
        }
        let numbers = self.element.is_float() || reading != Reading::Element;
        let one = if numbers { 1f32.to_bits() } else { 1 };
        let mut result = [0, 0, 0, one];
        for channel in 0..self.channels.min(4) {
            let raw = self.channel(texel, channel);
            result[channel as usize] = match (self.element, reading) {
                (Element::Float, _) => raw,
                (Element::Half, _) => f16::from_bits(raw as u16).to_f32().to_bits(),
                (_, Reading::Element) => raw,
                (_, Reading::Fraction) => self.fraction_of(raw).to_bits(),
                (_, Reading::Srgb) if channel < 3 => linear_of_srgb(self.fraction_of(raw)).to_bits(),
                (_, Reading::Srgb) => self.fraction_of(raw).to_bits(),
            };
        }
        result
    }

    fn fraction_of(self, raw: u32) -> f32 {
        let bits = 8 * self.element.bytes();
        if self.element.is_signed() {
            let most = ((1u64 << (bits - 1)) - 1) as f32;
            (raw as i32 as f32 / most).max(-1.0)
        } else {
            raw as f32 / ((1u64 << bits) - 1) as f32
        }
    }

    /// The bytes of a texel that a formatted store writes (`sust.p`): integers that do not fit become the nearest that does.
    pub fn encode(self, words: &[u32; 4]) -> [u8; 16] {
        let mut texel = [0; 16];
        let bytes = self.element.bytes() as usize;
        for (channel, &word) in words.iter().enumerate().take(self.channels as usize) {
            let value = match self.element {
                Element::Half => u32::from(f16::from_f32(f32::from_bits(word)).to_bits()),
                Element::Unsigned8 => word.min(0xff),
                Element::Unsigned16 => word.min(0xffff),
                Element::Signed8 => (word as i32).clamp(-0x80, 0x7f) as u32,
                Element::Signed16 => (word as i32).clamp(-0x8000, 0x7fff) as u32,
                Element::Unsigned32 | Element::Signed32 | Element::Float => word,
            };
            for n in 0..bytes {
                texel[(channel * bytes + n) & 15] = (value >> (8 * n)) as u8;
            }
        }
        texel
    }

    /// What `txq.channel_data_type` answers: OpenCL's numbers (PTX ISA, "Texture Sampler and Surface Types").
    pub fn data_type(self) -> u32 {
        match (self.element, self.fraction) {
            (Element::Signed8, true) => 0x10d0,
            (Element::Signed16, true) => 0x10d1,
            (Element::Unsigned8, true) => 0x10d2,
            (Element::Unsigned16, true) => 0x10d3,
            (Element::Signed8, false) => 0x10d7,
            (Element::Signed16, false) => 0x10d8,
            (Element::Signed32, _) => 0x10d9,
            (Element::Unsigned8, false) => 0x10da,
            (Element::Unsigned16, false) => 0x10db,
            (Element::Unsigned32, _) => 0x10dc,
            (Element::Half, _) => 0x10dd,
            (Element::Float, _) => 0x10de,
        }
    }

    /// What `txq.channel_order` answers.
    pub fn order(self) -> u32 {
        match self.channels {
            1 => 0x10b0,
            2 => 0x10b2,
            _ => 0x10b5,
        }
    }
}

/// The linear value of an sRGB fraction (IEC 61966-2-1).
fn linear_of_srgb(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texel(bytes: &[u8]) -> [u8; 16] {
        let mut texel = [0; 16];
        texel[..bytes.len()].copy_from_slice(bytes);
        texel
    }

    fn format(element: Element, channels: u32) -> Format {
        Format { element, channels, fraction: false }
    }

    #[test]
    fn channels_read_as_what_they_are() {
        let signed = format(Element::Signed8, 2);
        assert_eq!(signed.decode(&texel(&[0x80, 3]), Reading::Element), [-128i32 as u32, 3, 0, 1]);
        let half = format(Element::Half, 1);
        let read = half.decode(&texel(&f16::from_f32(-2.5).to_bits().to_le_bytes()), Reading::Element);
        assert_eq!(read, [(-2.5f32).to_bits(), 0, 0, 1f32.to_bits()]);
    }

    #[test]
    fn integers_read_as_fractions() {
        let floats = |words: [u32; 4]| words.map(f32::from_bits);
        let unsigned = format(Element::Unsigned8, 4).decode(&texel(&[0, 51, 255, 102]), Reading::Fraction);
        assert_eq!(floats(unsigned), [0.0, 0.2, 1.0, 0.4]);
        let signed = format(Element::Signed16, 2).decode(&texel(&[0, 0x80, 0xff, 0x7f]), Reading::Fraction);
        assert_eq!(floats(signed), [-1.0, 1.0, 0.0, 1.0], "the least value is -1, too");
        let curved = floats(format(Element::Unsigned8, 4).decode(&texel(&[0, 255, 188, 128]), Reading::Srgb));
        assert_eq!(curved[..2], [0.0, 1.0]);
        assert!((curved[2] - 0.5029).abs() < 1e-3 && (curved[3] - 128.0 / 255.0).abs() < 1e-6, "{curved:?}");
    }

    #[test]
    fn formatted_stores_convert() {
        let encoded = format(Element::Signed8, 4).encode(&[300, -300i32 as u32, 5, -5i32 as u32]);
        assert_eq!(encoded[..5], [0x7f, 0x80, 5, 0xfb, 0]);
        let half = format(Element::Half, 2);
        let bytes = half.encode(&[0.5f32.to_bits(), 0, 7, 7]);
        assert_eq!(half.decode(&bytes, Reading::Element)[..2], [0.5f32.to_bits(), 0]);
    }
}
