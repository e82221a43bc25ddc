//! Where a surface access goes, and what `sured` computes (PTX ISA, `suld`, `sust`, `sured`).

use super::{Object, Region};
use hotfire_jit::texel::{geometry, reduction};

/// What an access out of bounds does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// It ends the grid.
    Trap,
    /// The nearest place is used instead.
    Clamp,
    /// Loads give zero, stores do nothing.
    Zero,
}

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// This address.
    At(u64),
    /// Out of bounds, where that means nothing.
    Nowhere,
    /// Out of bounds, where that is a fault.
    Outside,
}

/// Coordinates by what they mean: x, y, and slice or layer.
fn axes(geometry: u32, given: [u32; 4]) -> [i64; 3] {
    let [a, b, c, _] = given.map(|word| i64::from(word as i32));
    match geometry {
        geometry::D1 => [a, 0, 0],
        geometry::D2 => [a, b, 0],
        // The index of a layer comes first.
        geometry::A1D => [b, 0, a],
        geometry::A2D => [b, c, a],
        _ => [a, b, c],
    }
}

/// Where `bytes` bytes at a place lie: x counts bytes, or texels if the access is formatted.
pub fn place(
    object: &Object,
    geometry: u32,
    given: [u32; 4],
    bytes: u32,
    formatted: bool,
    boundary: Boundary,
) -> Place {
    let Some(region) = object.levels.first() else { return Place::Outside };
    let texel = object.format.bytes();
    let [mut x, y, z] = axes(geometry, given);
    let bytes = if formatted {
        x = x.saturating_mul(i64::from(texel));
        i64::from(texel)
    } else {
        i64::from(bytes)
    };
    let slices = region.depth.max(object.layers);
    let most =
        [i64::from(region.width) * i64::from(texel) - bytes, i64::from(region.height) - 1, i64::from(slices) - 1];
    let given = [x, y, z];
    let inside = given.iter().zip(most).all(|(&at, most)| (0..=most).contains(&at));
    let at = match boundary {
        _ if inside => given,
        // Wider than the surface: nothing of it is near.
        Boundary::Clamp if most[0] < 0 => return Place::Outside,
        Boundary::Clamp => [0, 1, 2].map(|axis| given[axis].clamp(0, most[axis])),
        Boundary::Zero => return Place::Nowhere,
        Boundary::Trap => return Place::Outside,
    };
    Place::At(raw_texel(region, at))
}

/// The address of a byte of a row.
fn raw_texel(region: &Region, [x, y, z]: [i64; 3]) -> u64 {
    region.texel([0, y as u32, z as u32], 0).wrapping_add(x as u64)
}

/// What `sured` makes of the word that is there and another; numbers of 32 bits in the low half.
pub fn combine(operation: u32, wide: bool, before: u64, with: u64) -> u64 {
    let signed = operation & reduction::SIGNED != 0;
    let less = match (signed, wide) {
        (false, _) => before < with,
        (true, true) => (before as i64) < with as i64,
        (true, false) => (before as i32) < with as i32,
    };
    match operation & !reduction::SIGNED {
        reduction::MIN => {
            if less {
                before
            } else {
                with
            }
        }
        reduction::MAX => {
            if less {
                with
            } else {
                before
            }
        }
        reduction::AND => before & with,
        reduction::OR => before | with,
        _ if wide => before.wrapping_add(with),
        _ => u64::from((before as u32).wrapping_add(with as u32)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Element, Format, ObjectKind, Reading, Resource};
    use super::*;

    fn object() -> Object {
        let format = Format { element: Element::Signed16, channels: 2, fraction: false };
        let region = Region { base: 0x1000, width: 8, height: 4, depth: 1, pitch: 64, slice: 256 };
        Object {
            handle: 1,
            kind: ObjectKind::Surface,
            resource: Resource::Linear { address: 0, format, bytes: 0 },
            view: None,
            format,
            reading: Reading::Element,
            levels: vec![region],
            layers: 3,
            is_linear: false,
        }
    }

    #[test]
    fn bounds() {
        let object = object();
        let at = |geometry, given: [i32; 4], bytes, boundary| {
            place(&object, geometry, given.map(|n| n as u32), bytes, false, boundary)
        };
        assert_eq!(at(geometry::D2, [28, 3, 0, 0], 4, Boundary::Trap), Place::At(0x1000 + 28 + 192));
        assert_eq!(at(geometry::D2, [30, 3, 0, 0], 4, Boundary::Trap), Place::Outside, "it would cross the end");
        assert_eq!(at(geometry::D2, [-1, 0, 0, 0], 1, Boundary::Zero), Place::Nowhere);
        assert_eq!(at(geometry::D2, [100, 9, 0, 0], 4, Boundary::Clamp), Place::At(0x1000 + 28 + 192));
        assert_eq!(at(geometry::A2D, [2, 4, 1, 0], 4, Boundary::Trap), Place::At(0x1000 + 512 + 64 + 4));
        assert_eq!(at(geometry::A2D, [3, 4, 1, 0], 4, Boundary::Trap), Place::Outside);
        let scaled = place(&object, geometry::D2, [7, 1, 0, 0], 1, true, Boundary::Trap);
        assert_eq!(scaled, Place::At(0x1000 + 28 + 64), "formatted accesses count texels");
    }

    #[test]
    fn reductions() {
        let minus = u64::from(-5i32 as u32);
        assert_eq!(combine(reduction::MIN | reduction::SIGNED, false, minus, 3), minus);
        assert_eq!(combine(reduction::MIN, false, minus, 3), 3);
        assert_eq!(combine(reduction::MAX | reduction::SIGNED, true, -5i64 as u64, 3), 3);
        assert_eq!(combine(reduction::ADD, false, u64::from(u32::MAX), 2), 1);
        assert_eq!(combine(reduction::ADD, true, u64::from(u32::MAX), 2), 0x1_0000_0001);
        assert_eq!(combine(reduction::AND, false, 6, 3), 2);
        assert_eq!(combine(reduction::OR, false, 6, 3), 7);
    }
}
