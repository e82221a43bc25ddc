//! Handles that are none, arrays that are gone, places that are outside: faults with a place, never a crash. And objects come and go.

mod common;

use common::{Fixture, fixture_of};
use hotfire_device::texture::{AddressMode, Array, ArrayFlags, ArrayShape, Element, Format, Resource, Sampler};
use hotfire_device::{Config, Status};
use std::sync::Arc;

const KERNELS: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry fetch(.param .u64 texture, .param .u64 out, .param .u32 x)
{
    .reg .b64 %rd<3>; .reg .b32 %r<2>; .reg .f32 %f<6>;
    ld.param.u64 %rd0, [texture];
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r0, [x];
    cvt.rn.f32.s32 %f4, %r0;
    tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd0, {%f4, %f4}];
    st.global.f32 [%rd1], %f0;
    ret;
}
.visible .entry store(.param .u64 surface, .param .u32 x)
{
    .reg .b64 %rd<1>; .reg .b32 %r<3>;
    ld.param.u64 %rd0, [surface];
    ld.param.u32 %r0, [x];
    mov.u32 %r1, 0;
    mov.u32 %r2, 0x40e00000;
    sust.b.2d.b32.trap [%rd0, {%r0, %r1}], {%r2};
    ret;
}
";

fn fixture() -> Fixture {
    fixture_of(Config { workers: Some(2), memory: Some(1 << 30), ..Config::default() }, KERNELS)
}

fn array(f: &Fixture) -> Arc<Array> {
    let format = Format { element: Element::Float, channels: 1, fraction: false };
    let shape = ArrayShape { format, width: 8, height: 8, depth: 0, flags: ArrayFlags(ArrayFlags::SURFACE) };
    f.device.array_create(shape, 1).expect("there is memory")
}

fn resource(array: &Arc<Array>) -> Resource {
    Resource::Array { array: Arc::clone(array), level: 0, handle: 0 }
}

fn texture(f: &Fixture, array: &Arc<Array>) -> u64 {
    let sampler = Sampler {
        address: [AddressMode::Clamp; 3],
        linear: false,
        fraction: false,
        srgb: false,
        border: [0.0; 4],
        normalised: false,
        anisotropy: 0,
        mip_linear: false,
        bias: 0.0,
        levels: [0.0; 2],
        disable_trilinear: false,
        seamless: false,
    };
    f.device.texture_create(resource(array), sampler, None).expect("it is a texture")
}

#[test]
fn a_texture_reads_what_a_surface_stored() {
    let f = fixture();
    let array = array(&f);
    let (surface, texture) = (f.device.surface_create(resource(&array)).expect("it is one"), texture(&f, &array));
    let out = f.device.malloc(4).expect("there is memory");
    f.run("store", 1, 1, &parameters!(surface, 8));
    f.run("fetch", 1, 1, &parameters!(texture, out, 2));
    // (2, 2) is what nobody stored: fresh memory is zero. (2, 0) was stored.
    assert_eq!(f.read::<f32>(out, 1), [0.0]);
    let row = array.levels()[0].base;
    assert_eq!(f.read::<f32>(row + 8, 1), [7.0]);
}

#[track_caller]
fn fails(f: &Fixture, name: &str, parameters: &[u8], status: Status) {
    f.launch(name, 1, 1, parameters);
    assert_eq!(f.device.synchronize(), status);
}

#[test]
fn handles_that_are_none_fault() {
    for (kernel, surface) in [("fetch", false), ("store", true)] {
        let f = fixture();
        let array = array(&f);
        let other =
            if surface { texture(&f, &array) } else { f.device.surface_create(resource(&array)).expect("it is one") };
        let destroyed =
            if surface { f.device.surface_create(resource(&array)).expect("it is one") } else { texture(&f, &array) };
        assert!(f.device.texture_destroy(destroyed, surface));
        assert!(!f.device.texture_destroy(destroyed, surface), "only once");
        assert!(!f.device.texture_destroy(other, surface), "it is of the other kind");
        for handle in [0, 1, u64::MAX, 0xdead_beef_0000, destroyed, other] {
            let f = fixture();
            let out = f.device.malloc(4).expect("there is memory");
            let block = if surface { parameters!(handle, 0) } else { parameters!(handle, out, 0) };
            fails(&f, kernel, &block, Status::ILLEGAL_ADDRESS);
        }
    }
}

#[test]
fn arrays_that_are_gone_fault() {
    let f = fixture();
    let array = array(&f);
    let (texture, out) = (texture(&f, &array), f.device.malloc(4).expect("there is memory"));
    assert_eq!(f.device.array_destroy(&array), Status::SUCCESS);
    assert_eq!(f.device.array_destroy(&array), Status::INVALID_VALUE);
    fails(&f, "fetch", &parameters!(texture, out, 0), Status::ILLEGAL_ADDRESS);
}

#[test]
fn surfaces_end_at_their_bounds() {
    for (x, status) in
        [(28, Status::SUCCESS), (32, Status::LAUNCH_FAILURE), (-4, Status::LAUNCH_FAILURE), (2, Status(716))]
    {
        let f = fixture();
        let surface = f.device.surface_create(resource(&array(&f))).expect("it is one");
        fails(&f, "store", &parameters!(surface, x), status);
    }
}

#[test]
fn objects_come_and_go() {
    let f = fixture();
    let array = array(&f);
    let used = f.device.mem_info().0;
    let mut last = 0;
    for _ in 0..10_000 {
        let handle = texture(&f, &array);
        assert_ne!(handle, last);
        assert!(f.device.texture_destroy(handle, false));
        last = handle;
    }
    assert_eq!(f.device.mem_info().0, used);
    let kept = texture(&f, &array);
    assert_eq!(f.device.reset(), Status::SUCCESS);
    assert!(!f.device.texture_destroy(kept, false), "a reset takes all");
}
