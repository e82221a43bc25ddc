//! Texture and surface objects: what a handle stands for.

use super::{Array, Format, Reading};
use std::sync::Arc;

/// What a fetch outside gives (`cudaTextureAddressMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressMode {
    /// The texture repeats.
    Wrap,
    /// The nearest texel.
    Clamp,
    /// The texture repeats, every other time the other way round.
    Mirror,
    /// The border's colour.
    Border,
}

/// How a texture is read (`cudaTextureDesc`).
#[derive(Clone, Copy, Debug)]
pub struct Sampler {
    /// Along x, y and z.
    pub address: [AddressMode; 3],
    /// Linear filtering rather than the nearest texel.
    pub linear: bool,
    /// 8- and 16-bit integers read as fractions.
    pub fraction: bool,
    /// Through the sRGB curve.
    pub srgb: bool,
    /// Colour of the border.
    pub border: [f32; 4],
    /// Coordinates go from 0 to 1.
    pub normalised: bool,
    /// Kept for who asks; ignored.
    pub anisotropy: u32,
    /// Linear filtering between levels.
    pub mip_linear: bool,
    /// Added to the level of detail.
    pub bias: f32,
    /// Bounds of the level of detail.
    pub levels: [f32; 2],
    /// Kept for who asks; ignored.
    pub disable_trilinear: bool,
    /// Kept for who asks; ignored.
    pub seamless: bool,
}

/// Where texels lie.
#[derive(Clone, Debug)]
pub enum Resource {
    /// An array; `handle` is what the program calls it.
    Array {
        /// The array.
        array: Arc<Array>,
        /// Which of its levels.
        level: u32,
        /// What the program calls it.
        handle: u64,
    },
    /// All levels of a mipmapped array.
    Mipmapped {
        /// The array.
        array: Arc<Array>,
        /// What the program calls it.
        handle: u64,
    },
    /// Memory, read by integers only.
    Linear {
        /// First byte.
        address: u64,
        /// Of a texel.
        format: Format,
        /// Bytes.
        bytes: u64,
    },
    /// Rows of memory.
    Pitched {
        /// First byte.
        address: u64,
        /// Of a texel.
        format: Format,
        /// Texels a row.
        width: u64,
        /// Rows.
        height: u64,
        /// Bytes from row to row.
        pitch: u64,
    },
}

/// A part of a resource, perhaps in another format (`cudaResourceViewDesc`).
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// `cudaResourceViewFormat`
    pub number: u32,
    /// The same as a format; `None` for 0.
    pub format: Option<Format>,
    /// Width, height and depth as the program gave them.
    pub extent: [u64; 3],
    /// First and last level.
    pub levels: [u32; 2],
    /// First and last layer.
    pub layers: [u32; 2],
}

/// Texels in rows and slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First byte.
    pub base: u64,
    /// Texels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Slices of a volume; 1 in layers.
    pub depth: u32,
    /// Bytes from row to row.
    pub pitch: u64,
    /// Bytes from slice to slice, or from layer to layer.
    pub slice: u64,
}

impl Region {
    /// Where a texel lies.
    pub fn texel(&self, [x, y, z]: [u32; 3], bytes: u32) -> u64 {
        let row = self.base.wrapping_add(u64::from(z).wrapping_mul(self.slice));
        row.wrapping_add(u64::from(y).wrapping_mul(self.pitch)).wrapping_add(u64::from(x) * u64::from(bytes))
    }
}

/// What an object is for.
#[derive(Clone, Copy, Debug)]
pub enum ObjectKind {
    /// To be read through a sampler.
    Texture(Sampler),
    /// To be read and written as it is.
    Surface,
}

/// A texture or surface object.
#[derive(Debug)]
pub struct Object {
    /// Its handle.
    pub handle: u64,
    /// What it is for.
    pub kind: ObjectKind,
    /// What the program made it of.
    pub resource: Resource,
    /// The part of it.
    pub view: Option<View>,
    /// Of its texels.
    pub format: Format,
    /// How they read.
    pub reading: Reading,
    /// Level by level; at least one.
    pub levels: Vec<Region>,
    /// Layers, or faces times layers; 1 if it has none.
    pub layers: u32,
    /// Memory read by integers: outside is zero.
    pub is_linear: bool,
}
