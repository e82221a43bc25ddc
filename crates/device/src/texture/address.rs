//! From a coordinate to the texels around it (CUDA Programming Guide, "Texture Fetching").
//!
//! Linear filtering has weights of 8 fractional bits, as the guide says; a weight that rounds up to 1 is the next texel with weight 0.

use super::AddressMode;

/// The texels along one axis: their indices, `None` for one that is border, and 256ths of weight that the second has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The texel, or the lower one of two.
    pub first: Option<u32>,
    /// The upper one.
    pub second: Option<u32>,
    /// 0 to 255.
    pub weight: u32,
}

impl Axis {
    /// One texel.
    pub fn at(index: u32) -> Self {
        Self { first: Some(index), second: Some(index), weight: 0 }
    }

    /// The texels for an integer coordinate.
    pub fn integer(coordinate: i32, size: u32, mode: AddressMode) -> Self {
        let first = bring(i64::from(coordinate), size, mode);
        Self { first, second: first, weight: 0 }
    }
}

/// How an axis is read.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// What happens outside.
    pub mode: AddressMode,
    /// Coordinates go from 0 to 1.
    pub normalised: bool,
    /// Two texels are wanted.
    pub linear: bool,
}

/// The texel of an index that may be outside.
fn bring(index: i64, size: u32, mode: AddressMode) -> Option<u32> {
    let size = i64::from(size.max(1));
    match mode {
        _ if (0..size).contains(&index) => Some(index as u32),
        AddressMode::Wrap => Some(index.rem_euclid(size) as u32),
        AddressMode::Border => None,
        _ => Some(index.clamp(0, size - 1) as u32),
    }
}

/// The greatest integer that is not above, of a number that is not far from zero: processors without an instruction for it make a call.
fn floor(x: f64) -> i64 {
    let cut = x as i64;
    cut - i64::from(x < cut as f64)
}

/// The texels for a coordinate.
pub fn axis(coordinate: f32, size: u32, rule: Rule) -> Axis {
    // Repeating needs normalised coordinates; without, it is clamping.
    let mode = match rule.mode {
        AddressMode::Wrap | AddressMode::Mirror if !rule.normalised => AddressMode::Clamp,
        mode => mode,
    };
    let mut x = f64::from(coordinate);
    if rule.normalised {
        if matches!(mode, AddressMode::Wrap | AddressMode::Mirror) {
            let whole = x.floor();
            let part = x - whole;
            x = if mode == AddressMode::Mirror && whole.rem_euclid(2.0) == 1.0 { 1.0 - part } else { part };
        }
        x *= f64::from(size);
    }
    // Not a number is 0; what is far outside stays outside.
    let x = if x.is_nan() { 0.0 } else { x.clamp(-1e9, 1e9) };
    if !rule.linear {
        let mut index = floor(x);
        if mode == AddressMode::Wrap || mode == AddressMode::Mirror {
            index = index.min(i64::from(size.max(1)) - 1);
        }
        let first = bring(index, size, mode);
        return Axis { first, second: first, weight: 0 };
    }
    let fixed = floor((x - 0.5) * 256.0 + 0.5);
    let index = fixed >> 8;
    Axis { first: bring(index, size, mode), second: bring(index + 1, size, mode), weight: (fixed & 255) as u32 }
}

/// Layer of a cube map and coordinates in it for a direction (CUDA Programming Guide, "Cubemap Textures").
pub fn face(direction: [f32; 3]) -> (u32, [f32; 2]) {
    let [x, y, z] = direction;
    let (a, b, c) = (x.abs(), y.abs(), z.abs());
    let (face, m, s, t) = if a > b && a > c {
        if x >= 0.0 { (0, x, -z, -y) } else { (1, -x, z, -y) }
    } else if b >= a && b > c {
        if y >= 0.0 { (2, y, x, z) } else { (3, -y, x, -z) }
    } else if z >= 0.0 {
        (4, z, x, -y)
    } else {
        (5, -z, -x, -y)
    };
    if m == 0.0 {
        return (face, [0.5, 0.5]);
    }
    (face, [f32::midpoint(s / m, 1.0), f32::midpoint(t / m, 1.0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(coordinate: f32, mode: AddressMode, normalised: bool, linear: bool) -> (Option<u32>, Option<u32>, u32) {
        let axis = axis(coordinate, 4, Rule { mode, normalised, linear });
        (axis.first, axis.second, axis.weight)
    }

    #[test]
    fn points() {
        use AddressMode::{Border, Clamp, Mirror, Wrap};
        for (mode, coordinate, texel) in [
            (Clamp, -0.1, Some(0)),
            (Clamp, 9.0, Some(3)),
            (Wrap, 1.3, Some(1)),
            (Wrap, -0.1, Some(3)),
            (Mirror, 1.1, Some(3)),
            (Mirror, -0.1, Some(0)),
            (Mirror, 1.0, Some(3)),
            (Mirror, 2.1, Some(0)),
            (Border, 1.0, None),
            (Border, -0.01, None),
            (Border, 0.99, Some(3)),
            (Clamp, f32::NAN, Some(0)),
            (Wrap, f32::INFINITY, Some(0)),
            (Clamp, f32::INFINITY, Some(3)),
        ] {
            assert_eq!(at(coordinate, mode, true, false).0, texel, "{mode:?} {coordinate}");
        }
        assert_eq!(at(2.9, Clamp, false, false).0, Some(2));
        assert_eq!(at(5.0, Wrap, false, false).0, Some(3), "without normalised coordinates nothing repeats");
    }

    #[test]
    fn weights_have_eight_bits() {
        use AddressMode::{Border, Clamp, Mirror, Wrap};
        assert_eq!(at(1.5, Clamp, false, true), (Some(1), Some(2), 0));
        assert_eq!(at(2.0, Clamp, false, true), (Some(1), Some(2), 128));
        assert_eq!(at(2.4999, Clamp, false, true), (Some(2), Some(3), 0), "rounds to the next texel");
        assert_eq!(at(1.5 + 1.0 / 256.0, Clamp, false, true), (Some(1), Some(2), 1));
        assert_eq!(at(0.25, Clamp, false, true), (Some(0), Some(0), 192));
        assert_eq!(at(0.0, Wrap, true, true), (Some(3), Some(0), 128));
        assert_eq!(at(0.0, Mirror, true, true), (Some(0), Some(0), 128));
        assert_eq!(at(0.0, Border, true, true), (None, Some(0), 128));
        assert_eq!(at(1.0, Border, true, true), (Some(3), None, 128));
    }

    #[test]
    fn directions_choose_faces() {
        assert_eq!(face([1.0, 0.0, 0.0]), (0, [0.5, 0.5]));
        assert_eq!(face([-2.0, 1.0, 0.0]), (1, [0.5, 0.25]));
        assert_eq!(face([0.0, 3.0, 1.5]), (2, [0.5, 0.75]));
        assert_eq!(face([0.25, -1.0, 0.5]), (3, [0.625, 0.25]));
        assert_eq!(face([0.5, 0.0, 1.0]), (4, [0.75, 0.5]));
        assert_eq!(face([0.5, 0.0, -1.0]), (5, [0.25, 0.5]));
        assert_eq!(face([0.0; 3]).1, [0.5, 0.5]);
    }
}
