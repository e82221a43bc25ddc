//! Texture and surface instructions ([`hotfire_jit::texel`]): finds the object, checks and announces each access, and fetches.
//!
//! What a fetch computes is in [`crate::texture`]. It runs on the thread's own stack, so that a texel whose memory was freed faults as
//! a load would.

use super::block::Block;
use super::fiber::Fiber;
use super::runtime::location;
use super::{checked, context};
use crate::texture::{self, Boundary, Detail, Object, ObjectKind, Place, Region};
use hotfire_jit::abi::{Fault, ThreadContext};
use hotfire_jit::texel::{self as code, Request, boundary, kind, query};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The instruction that a thread is at.
#[derive(Clone, Copy)]
struct At {
    context: *mut ThreadContext,
    site: u32,
    number: u32,
}

impl At {
    fn block(self) -> *mut Block {
        // SAFETY: generated code passes the context of its thread, which lies in its fiber.
        unsafe { (*self.context.cast::<Fiber>()).block }
    }

    fn raise(self, fault: Fault, address: u64) -> ! {
        // SAFETY: as above; nothing on the stack has a destructor.
        unsafe { context::raise(self.context, fault, address, location(self.block(), self.site)) }
    }

    /// A texel's bytes.
    unsafe fn fetch(self, address: u64, bytes: u32) -> [u8; 16] {
        let mut texel = [0; 16];
        // SAFETY: texels lie in memory that the object was made of; where that was freed, the read faults.
        unsafe {
            checked::fetches(self.context, address, bytes, self.number);
            self.count(bytes, 0);
            let to = texel.as_mut_ptr();
            // Sizes that are known here need no call.
            match bytes {
                1 => std::ptr::copy_nonoverlapping(address as *const u8, to, 1),
                2 => std::ptr::copy_nonoverlapping(address as *const u8, to, 2),
                4 => std::ptr::copy_nonoverlapping(address as *const u8, to, 4),
                8 => std::ptr::copy_nonoverlapping(address as *const u8, to, 8),
                _ => std::ptr::copy_nonoverlapping(address as *const u8, to, 16),
            }
        }
        texel
    }

    unsafe fn count(self, read: u32, written: u32) {
        // SAFETY: the block of a running thread.
        unsafe {
            let costs = &raw mut (*self.block()).context.costs;
            (*costs).read += u64::from(read);
            (*costs).written += u64::from(written);
        }
    }
}

/// [`hotfire_jit::abi::Runtime::texel`]
pub(super) unsafe extern "C-unwind" fn texel(
    context: *mut ThreadContext,
    request: *mut Request,
    operation: u32,
    site: u32,
    number: u32,
) {
    let at = At { context, site, number };
    // SAFETY: called by generated code, with a request on the thread's own stack.
    unsafe {
        let surface = operation & code::SURFACE != 0;
        let object =
            texture::find((*request).object).filter(|object| matches!(object.kind, ObjectKind::Surface) == surface);
        let Some(object) = object else { at.raise(Fault::IllegalAddress, (*request).object) };
        let request = &mut *request;
        match (operation & code::kind::MASK, &object.kind) {
            (kind::QUERY, _) => request.data[0] = answer(object, operation >> code::DETAIL & 0xf),
            (_, ObjectKind::Texture(_)) => fetch(at, object, request, operation),
            (_, ObjectKind::Surface) => touch(at, object, request, operation),
        }
    }
}

/// `txq` and `suq`
fn answer(object: &Object, what: u32) -> u32 {
    let base = object.levels.first();
    let size = |of: fn(&Region) -> u32| base.map_or(0, of);
    match what {
        query::WIDTH => size(|region| region.width),
        query::HEIGHT => size(|region| region.height),
        query::DEPTH => size(|region| region.depth),
        query::CHANNEL_DATA_TYPE => object.format.data_type(),
        query::CHANNEL_ORDER => object.format.order(),
        query::NORMALIZED_COORDS => match &object.kind {
            ObjectKind::Texture(sampler) => u32::from(sampler.normalised),
            ObjectKind::Surface => 0,
        },
        query::ARRAY_SIZE => object.layers,
        query::NUM_MIPMAP_LEVELS => object.levels.len() as u32,
        _ => 1,
    }
}

/// `tex` and `tld4`
unsafe fn fetch(at: At, object: &Object, request: &mut Request, operation: u32) {
    let ObjectKind::Texture(sampler) = &object.kind else { return };
    let bytes = object.format.bytes();
    let texel = |region: &Region, place: [u32; 3]| {
        // SAFETY: the sampler names texels of the object only.
        let texel = unsafe { at.fetch(region.texel(place, bytes), bytes) };
        object.format.decode(&texel, object.reading)
    };
    let geometry = operation >> code::GEOMETRY & 0xf;
    let [x, y]: [[f32; 4]; 2] = [0, 4].map(|from| [0, 1, 2, 3].map(|n| f32::from_bits(request.detail[from + n])));
    let detail = match operation & kind::MASK {
        kind::GATHER => {
            let component = operation >> code::DETAIL & 0xf;
            request.data = texture::gather(object, sampler, geometry, request.coordinates, component, texel);
            return;
        }
        kind::TEX_LEVEL => Detail::Level(x[0]),
        kind::TEX_GRAD => Detail::Gradients(x, y),
        _ => Detail::Base,
    };
    let integer = operation & code::INTEGER != 0;
    request.data = texture::sample(object, sampler, geometry, request.coordinates, integer, detail, texel);
}

/// `suld`, `sust` and `sured`
unsafe fn touch(at: At, object: &Object, request: &mut Request, operation: u32) {
    let what = operation & kind::MASK;
    let geometry = operation >> code::GEOMETRY & 0xf;
    let boundary = match operation >> code::DETAIL & 0xf {
        boundary::CLAMP => Boundary::Clamp,
        boundary::ZERO => Boundary::Zero,
        _ => Boundary::Trap,
    };
    let formatted = matches!(what, kind::STORE_FORMATTED | kind::REDUCE_FORMATTED);
    let given = operation >> code::BYTES & 0x1f;
    let bytes = if formatted { object.format.bytes() } else { given }.clamp(1, 16);
    let address = match texture::place(object, geometry, request.coordinates, bytes, formatted, boundary) {
        Place::At(address) => address,
        Place::Nowhere => {
            request.data = [0; 4];
            return;
        }
        Place::Outside => at.raise(Fault::LaunchFailure, 0),
    };
    if !address.is_multiple_of(u64::from(bytes)) {
        at.raise(Fault::MisalignedAddress, address);
    }
    let data = (&raw mut request.data).cast::<u8>();
    // SAFETY: so many bytes of the surface lie there; where its array was freed, the access faults. The request holds 16 bytes.
    unsafe {
        match what {
            kind::LOAD => {
                checked::loads(at.context, address, bytes, at.number);
                at.count(bytes, 0);
                std::ptr::copy_nonoverlapping(address as *const u8, data, bytes as usize);
            }
            kind::STORE | kind::STORE_FORMATTED => {
                let texel =
                    if formatted { object.format.encode(&request.data) } else { data.cast::<[u8; 16]>().read() };
                checked::stores(at.context, address, texel.get(..bytes as usize).unwrap_or(&texel), at.number);
                at.count(0, bytes);
                std::ptr::copy_nonoverlapping(texel.as_ptr(), address as *mut u8, bytes as usize);
            }
            _ => {
                let wide = bytes == 8;
                if !wide && bytes != 4 {
                    at.raise(Fault::MisalignedAddress, address);
                }
                checked::atomics(at.context, address, bytes, at.number);
                at.count(bytes, bytes);
                reduce(address, operation >> code::REDUCTION & 0xf, wide, &request.data);
            }
        }
    }
}

/// Combines a word atomically.
unsafe fn reduce(address: u64, operation: u32, wide: bool, data: &[u32; 4]) {
    let with = u64::from(data[0]) | if wide { u64::from(data[1]) << 32 } else { 0 };
    // SAFETY: the caller's promise: an aligned word of the surface.
    unsafe {
        if wide {
            let word = &*(address as *const AtomicU64);
            let change = |before| Some(texture::combine(operation, true, before, with));
            let _ = word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change);
        } else {
            let word = &*(address as *const AtomicU32);
            let change = |before| Some(texture::combine(operation, false, u64::from(before), with) as u32);
            let _ = word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change);
        }
    }
}
