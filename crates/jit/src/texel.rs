//! What generated code asks of textures and surfaces (PTX ISA, sections 9.7.10 and 9.7.11): one request for all of these instructions.
//!
//! The device carries it out, [`crate::abi::Runtime::texel`]: it knows the objects that programs' handles stand for.

/// A request; lies on the stack of the thread that makes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// The texture or surface object: whatever the program says it is.
    pub object: u64,
    /// Coordinates as the instruction has them: bits of `f32` or `s32`, the index of a layer first.
    pub coordinates: [u32; 4],
    /// The level of detail in the first place, or the gradients along x and y, four places each.
    pub detail: [u32; 8],
    /// What a surface access stores, byte for byte, or combines; and the result.
    pub data: [u32; 4],
}

/// Which instruction. The number that the device gets is a kind or-ed with what the kind's constants say.
#[expect(missing_docs, reason = "named as PTX names them")]
pub mod kind {
    pub const MASK: u32 = 0xf;
    pub const TEX: u32 = 0;
    pub const TEX_LEVEL: u32 = 1;
    pub const TEX_GRAD: u32 = 2;
    /// `tld4`; the component is the [`super::DETAIL`].
    pub const GATHER: u32 = 3;
    /// `suld.b`; the detail of all surface accesses is a [`super::boundary`], and [`super::BYTES`] says how many.
    pub const LOAD: u32 = 4;
    /// `sust.b`
    pub const STORE: u32 = 5;
    /// `sust.p`, with as many components as there are words.
    pub const STORE_FORMATTED: u32 = 6;
    /// `sured.b`: the operation is a [`super::reduction`].
    pub const REDUCE: u32 = 7;
    /// `sured.p`
    pub const REDUCE_FORMATTED: u32 = 8;
    /// `txq`, `suq`; the detail is a [`super::query`].
    pub const QUERY: u32 = 9;
}

/// Where the geometry begins.
pub const GEOMETRY: u32 = 4;
/// Where the detail begins, of four bits.
pub const DETAIL: u32 = 8;
/// Where the number of bytes begins, or of components, of five bits.
pub const BYTES: u32 = 12;
/// Coordinates are integers.
pub const INTEGER: u32 = 1 << 17;
/// The object must be a surface.
pub const SURFACE: u32 = 1 << 18;
/// Where the reduction begins.
pub const REDUCTION: u32 = 20;

/// Geometries.
#[expect(missing_docs, reason = "named as PTX names them")]
pub mod geometry {
    pub const D1: u32 = 0;
    pub const D2: u32 = 1;
    pub const D3: u32 = 2;
    pub const A1D: u32 = 3;
    pub const A2D: u32 = 4;
    pub const CUBE: u32 = 5;
    pub const ACUBE: u32 = 6;
}

/// What a surface access out of bounds does.
#[expect(missing_docs, reason = "named as PTX names them")]
pub mod boundary {
    pub const TRAP: u32 = 0;
    pub const CLAMP: u32 = 1;
    pub const ZERO: u32 = 2;
}

/// What `sured` does.
#[expect(missing_docs, reason = "named as PTX names them")]
pub mod reduction {
    pub const ADD: u32 = 0;
    pub const MIN: u32 = 1;
    pub const MAX: u32 = 2;
    pub const AND: u32 = 3;
    pub const OR: u32 = 4;
    /// Or-ed to the operation: numbers have a sign.
    pub const SIGNED: u32 = 8;
}

/// What `txq` and `suq` ask.
#[expect(missing_docs, reason = "named as PTX names them")]
pub mod query {
    pub const WIDTH: u32 = 0;
    pub const HEIGHT: u32 = 1;
    pub const DEPTH: u32 = 2;
    pub const CHANNEL_DATA_TYPE: u32 = 3;
    pub const CHANNEL_ORDER: u32 = 4;
    pub const NORMALIZED_COORDS: u32 = 5;
    pub const ARRAY_SIZE: u32 = 6;
    pub const NUM_MIPMAP_LEVELS: u32 = 7;
    pub const NUM_SAMPLES: u32 = 8;
}
