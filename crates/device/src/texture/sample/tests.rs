use super::super::{AddressMode, Element, Format, ObjectKind, Reading, Resource};
use super::*;

const FLOAT: Format = Format { element: Element::Float, channels: 1, fraction: false };

fn sampler(mode: AddressMode, linear: bool, normalised: bool) -> Sampler {
    Sampler {
        address: [mode; 3],
        linear,
        fraction: false,
        srgb: false,
        border: [100.0; 4],
        normalised,
        anisotropy: 0,
        mip_linear: false,
        bias: 0.0,
        levels: [0.0, 99.0],
        disable_trilinear: false,
        seamless: false,
    }
}

fn object(sampler: Sampler, sizes: &[[u32; 3]], layers: u32) -> Object {
    let region = |&[width, height, depth]: &[u32; 3]| Region { base: 0, width, height, depth, pitch: 0, slice: 0 };
    Object {
        handle: 0,
        kind: ObjectKind::Texture(sampler),
        resource: Resource::Linear { address: 0, format: FLOAT, bytes: 0 },
        view: None,
        format: FLOAT,
        reading: Reading::Element,
        levels: sizes.iter().map(region).collect(),
        layers,
        is_linear: false,
    }
}

/// Texel (x, y, z) of a level `width` wide is x + 10 y + 100 z + 1000 width.
fn texel(region: &Region, [x, y, z]: [u32; 3]) -> [u32; 4] {
    let value = x + 10 * y + 100 * z + 1000 * region.width;
    [(value as f32).to_bits(), 0, 0, 0]
}

fn at(object: &Object, sampler: &Sampler, geometry: u32, given: [u32; 4], detail: Detail) -> f32 {
    f32::from_bits(sample(object, sampler, geometry, given, false, detail, texel)[0])
}

fn bits(given: [f32; 4]) -> [u32; 4] {
    given.map(f32::to_bits)
}

#[test]
fn filtering_weighs_the_texels_around() {
    let sampler = sampler(AddressMode::Border, true, false);
    let object = object(sampler, &[[4, 4, 4]], 1);
    let get = |geometry, given| at(&object, &sampler, geometry, bits(given), Detail::Base);
    assert_eq!(get(geometry::D1, [1.75, 0.0, 0.0, 0.0]), 4001.25);
    assert_eq!(get(geometry::D2, [2.0, 1.0, 0.0, 0.0]), 4000.0 + 1.5 + 5.0);
    assert_eq!(get(geometry::D3, [1.5, 1.5, 2.0, 0.0]), 4000.0 + 1.0 + 10.0 + 150.0);
    assert_eq!(get(geometry::D1, [0.25, 0.0, 0.0, 0.0]), 0.75 * 4000.0 + 0.25 * 100.0, "a quarter is border");
}

#[test]
fn layers_are_not_filtered_and_end() {
    let sampler = sampler(AddressMode::Clamp, true, false);
    let object = object(sampler, &[[4, 4, 1]], 3);
    let get = |layer, x: f32, y: f32| {
        at(&object, &sampler, geometry::A2D, [layer, x.to_bits(), y.to_bits(), 0], Detail::Base)
    };
    assert_eq!(get(1, 1.5, 0.5), 4101.0);
    assert_eq!(get(9, 1.5, 0.5), 4201.0);
    let face = at(&object, &sampler, geometry::CUBE, bits([0.0, 1.0, 0.0, 0.0]), Detail::Base);
    assert_eq!(face, 4000.0 + 1.5 + 15.0 + 200.0, "the third face, in the middle");
}

#[test]
fn levels_follow_detail_gradients_bias_and_bounds() {
    let mut sampler = sampler(AddressMode::Clamp, false, true);
    let object = object(sampler, &[[8, 8, 1], [4, 4, 1], [2, 2, 1]], 1);
    let get = |sampler: &Sampler, detail| at(&object, sampler, geometry::D2, [0; 4], detail);
    assert_eq!(get(&sampler, Detail::Base), 8000.0);
    assert_eq!(get(&sampler, Detail::Level(0.4)), 8000.0);
    assert_eq!(get(&sampler, Detail::Level(0.6)), 4000.0);
    assert_eq!(get(&sampler, Detail::Level(f32::INFINITY)), 2000.0);
    assert_eq!(get(&sampler, Detail::Level(f32::NAN)), 8000.0);
    assert_eq!(get(&sampler, Detail::Gradients([0.25, 0.0, 0.0, 0.0], [0.0; 4])), 4000.0, "two texels: one level");
    sampler.mip_linear = true;
    assert_eq!(get(&sampler, Detail::Level(0.25)), 7000.0);
    sampler.bias = 1.0;
    assert_eq!(get(&sampler, Detail::Level(0.25)), 3500.0);
    sampler.levels = [0.0, 0.5];
    assert_eq!(get(&sampler, Detail::Level(7.0)), 6000.0);
}

#[test]
fn integers_name_texels() {
    let sampler = sampler(AddressMode::Clamp, false, false);
    let mut object = object(sampler, &[[8, 1, 1]], 1);
    let get = |object: &Object, x: i32| {
        f32::from_bits(sample(object, &sampler, geometry::D1, [x as u32, 0, 0, 0], true, Detail::Base, texel)[0])
    };
    assert_eq!((get(&object, 3), get(&object, -1), get(&object, 8)), (8003.0, 8000.0, 8007.0));
    object.is_linear = true;
    assert_eq!((get(&object, 7), get(&object, -1), get(&object, 8)), (8007.0, 0.0, 0.0));
}

#[test]
fn gathers_go_around() {
    let sampler = sampler(AddressMode::Clamp, false, false);
    let object = object(sampler, &[[4, 4, 1]], 1);
    let four = gather(&object, &sampler, geometry::D2, bits([2.0, 1.0, 0.0, 0.0]), 0, texel).map(f32::from_bits);
    assert_eq!(four, [4011.0, 4012.0, 4002.0, 4001.0]);
}
