//! What a fetch computes from texels (CUDA Programming Guide, "Texture Fetching"; PTX ISA, `tex`, `tld4`).
//!
//! Texels come from the caller, one by one, already numbers: this file knows no memory.

use super::address::{Axis, Rule, axis, face};
use super::{Object, Region, Sampler};
use hotfire_jit::texel::geometry;

/// Where a fetch is: coordinates along three axes, and the slice of a layer.
struct Spot {
    along: [f32; 3],
    axes: usize,
    layer: u32,
}

/// The level of detail that an instruction asks for.
#[derive(Clone, Copy, Debug)]
pub enum Detail {
    /// The largest level.
    Base,
    /// This one.
    Level(f32),
    /// What changes of the coordinates from pixel to pixel say, along the picture's x and y.
    Gradients([f32; 4], [f32; 4]),
}

fn spot(object: &Object, geometry: u32, given: [u32; 4]) -> Spot {
    let [a, b, c, d] = given.map(f32::from_bits);
    let last = object.layers.saturating_sub(1);
    let layer = given[0].min(last);
    match geometry {
        geometry::D1 => Spot { along: [a, 0.0, 0.0], axes: 1, layer: 0 },
        geometry::D2 => Spot { along: [a, b, 0.0], axes: 2, layer: 0 },
        geometry::D3 => Spot { along: [a, b, c], axes: 3, layer: 0 },
        geometry::A1D => Spot { along: [b, 0.0, 0.0], axes: 1, layer },
        geometry::A2D => Spot { along: [b, c, 0.0], axes: 2, layer },
        geometry::CUBE => {
            let (face, [s, t]) = face([a, b, c]);
            Spot { along: [s, t, 0.0], axes: 2, layer: face.min(last) }
        }
        _ => {
            let (face, [s, t]) = face([b, c, d]);
            Spot {
                along: [s, t, 0.0],
                axes: 2,
                layer: given[0].min(last / 6).wrapping_mul(6).wrapping_add(face).min(last),
            }
        }
    }
}

/// The axes of a fetch in a region; those that the geometry lacks stay at 0.
fn axes(object: &Object, sampler: &Sampler, region: &Region, geometry: u32, spot: &Spot, linear: bool) -> [Axis; 3] {
    let sizes = [region.width, region.height, region.depth];
    let cube = matches!(geometry, geometry::CUBE | geometry::ACUBE);
    let mut result = [Axis::at(0); 3];
    for n in 0..spot.axes {
        // A cube's face ends at its edge.
        let mode = if cube { super::AddressMode::Clamp } else { sampler.address[n] };
        let rule = Rule { mode, normalised: cube || sampler.normalised, linear };
        result[n] = axis(spot.along[n], sizes[n], rule);
    }
    if object.layers > 1 {
        result[2] = Axis::at(spot.layer);
    }
    result
}

/// What lies outside: around memory read by integers, zero.
fn border(object: &Object, sampler: &Sampler) -> [u32; 4] {
    if object.is_linear {
        return [0; 4];
    }
    let numbers = object.format.element.is_float() || object.reading != super::Reading::Element;
    sampler.border.map(|value| if numbers { value.to_bits() } else { value as i64 as u32 })
}

/// A weighted sum over the two, four or eight texels around.
fn filter(axes: &[Axis; 3], mut texel: impl FnMut([Option<u32>; 3]) -> [u32; 4]) -> [f32; 4] {
    let mut sum = [0f64; 4];
    let [x, y, z] = axes.map(|axis| {
        let second = f64::from(axis.weight) / 256.0;
        [(axis.first, 1.0 - second), (axis.second, second)]
    });
    // What has no weight is not read.
    for (z, of_z) in z {
        if of_z == 0.0 {
            continue;
        }
        for (y, of_y) in y {
            if of_y == 0.0 {
                continue;
            }
            for (x, of_x) in x {
                let weight = of_x * of_y * of_z;
                if weight == 0.0 {
                    continue;
                }
                for (sum, word) in sum.iter_mut().zip(texel([x, y, z])) {
                    *sum += weight * f64::from(f32::from_bits(word));
                }
            }
        }
    }
    sum.map(|sum| sum as f32)
}

/// Which levels are read: the first, the second, and 256ths of weight that the second has.
fn levels(object: &Object, sampler: &Sampler, spot: &Spot, detail: Detail) -> (usize, usize, u32) {
    let last = object.levels.len().saturating_sub(1);
    if last == 0 {
        return (0, 0, 0);
    }
    let wanted = match detail {
        Detail::Base => 0.0,
        Detail::Level(level) => level,
        Detail::Gradients(x, y) => {
            let Some(base) = object.levels.first() else { return (0, 0, 0) };
            let sizes = [base.width, base.height, base.depth].map(f64::from);
            let length = |change: [f32; 4]| {
                (0..spot.axes).map(|n| (f64::from(change[n]) * sizes[n]).powi(2)).sum::<f64>().sqrt()
            };
            length(x).max(length(y)).log2() as f32
        }
    };
    let level = wanted + sampler.bias;
    let level = level.max(sampler.levels[0]).min(sampler.levels[1]);
    let level = if level.is_nan() { 0.0 } else { level.clamp(0.0, last as f32) };
    let fixed = (level * 256.0 + 0.5).floor() as usize;
    if sampler.mip_linear {
        let first = (fixed >> 8).min(last);
        (first, (first + 1).min(last), (fixed & 255) as u32)
    } else {
        let nearest = ((fixed + 128) >> 8).min(last);
        (nearest, nearest, 0)
    }
}

/// A fetch with coordinates that are numbers, or integers if `integer`. `texel` reads one texel of a region.
pub fn sample(
    object: &Object,
    sampler: &Sampler,
    geometry: u32,
    given: [u32; 4],
    integer: bool,
    detail: Detail,
    mut texel: impl FnMut(&Region, [u32; 3]) -> [u32; 4],
) -> [u32; 4] {
    let border = border(object, sampler);
    let mut read = |region: &Region, at: [Option<u32>; 3]| match at {
        [Some(x), Some(y), Some(z)] => texel(region, [x, y, z]),
        _ => border,
    };
    if integer {
        let level = match detail {
            Detail::Level(level) => level.to_bits() as usize,
            _ => 0,
        };
        let Some(region) = object.levels.get(level.min(object.levels.len().saturating_sub(1))) else { return border };
        return read(region, integers(object, sampler, region, geometry, given));
    }
    let spot = spot(object, geometry, given);
    let (first, second, weight) = levels(object, sampler, &spot, detail);
    let mut in_level = |level: usize| {
        let Some(region) = object.levels.get(level) else { return border };
        let axes = axes(object, sampler, region, geometry, &spot, sampler.linear);
        if sampler.linear {
            filter(&axes, |at| read(region, at)).map(f32::to_bits)
        } else {
            read(region, axes.map(|axis| axis.first))
        }
    };
    let near = in_level(first);
    if weight == 0 {
        return near;
    }
    let far = in_level(second);
    let part = f64::from(weight) / 256.0;
    let mut result = near;
    for (result, far) in result.iter_mut().zip(far) {
        let (near, far) = (f64::from(f32::from_bits(*result)), f64::from(f32::from_bits(far)));
        *result = ((near * (1.0 - part) + far * part) as f32).to_bits();
    }
    result
}

/// The texel that integer coordinates name.
fn integers(object: &Object, sampler: &Sampler, region: &Region, geometry: u32, given: [u32; 4]) -> [Option<u32>; 3] {
    let [a, b, c, _] = given.map(|word| word as i32);
    let (along, layer) = match geometry {
        geometry::D1 => ([a, 0, 0], None),
        geometry::D2 => ([a, b, 0], None),
        geometry::A1D => ([b, 0, 0], Some(given[0])),
        geometry::A2D => ([b, c, 0], Some(given[0])),
        _ => ([a, b, c], None),
    };
    let sizes = [region.width, region.height, region.depth];
    // Nothing repeats without normalised coordinates; memory has zero around.
    let mode = |n: usize| match sampler.address[n] {
        _ if object.is_linear => super::AddressMode::Border,
        super::AddressMode::Border => super::AddressMode::Border,
        _ => super::AddressMode::Clamp,
    };
    let mut result = [0, 1, 2].map(|n| Axis::integer(along[n], sizes[n], mode(n)).first);
    if let Some(layer) = layer {
        result[2] = Some(layer.min(object.layers.saturating_sub(1)));
    }
    result
}

/// One component of the four texels that linear filtering would use, counter-clockwise from the lower left.
pub fn gather(
    object: &Object,
    sampler: &Sampler,
    geometry: u32,
    given: [u32; 4],
    component: u32,
    mut texel: impl FnMut(&Region, [u32; 3]) -> [u32; 4],
) -> [u32; 4] {
    let border = border(object, sampler);
    let Some(region) = object.levels.first() else { return border };
    let spot = spot(object, geometry, given);
    let [x, y, z] = axes(object, sampler, region, geometry, &spot, true);
    [(x.first, y.second), (x.second, y.second), (x.second, y.first), (x.first, y.first)].map(|(x, y)| {
        let found = match (x, y, z.first) {
            (Some(x), Some(y), Some(z)) => texel(region, [x, y, z]),
            _ => border,
        };
        found.get(component as usize).copied().unwrap_or(0)
    })
}

#[cfg(test)]
mod tests;
