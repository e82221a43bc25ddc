//! CUDA arrays: their shape, their memory, and where their texels are.

use super::{Format, Region};
use crate::device::Device;
use crate::status::Status;
use std::sync::Arc;

/// Bytes that rows are a multiple of.
const ROW: u64 = 32;

/// Flags of `cudaMalloc3DArray`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayFlags(pub u32);

#[expect(missing_docs, reason = "named as CUDA names them")]
impl ArrayFlags {
    pub const LAYERED: u32 = 1;
    pub const SURFACE: u32 = 2;
    pub const CUBEMAP: u32 = 4;
    pub const GATHER: u32 = 8;
    pub const COLOR_ATTACHMENT: u32 = 0x20;

    pub fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }
}

/// What an array is, as its maker said; 0 stands for a dimension that it does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayShape {
    /// Of its texels.
    pub format: Format,
    /// Texels a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// Slices, layers, faces, or six times layers.
    pub depth: u64,
    /// What kind it is.
    pub flags: ArrayFlags,
}

impl ArrayShape {
    /// Whether slices are layers, which filtering does not cross.
    pub fn has_layers(&self) -> bool {
        self.flags.has(ArrayFlags::LAYERED | ArrayFlags::CUBEMAP)
    }

    /// Checks dimensions against each other and the device's limits (`cudaMalloc3DArray`).
    fn check(&self) -> Result<(), Status> {
        let within = |limits: [u64; 3]| {
            [self.width, self.height, self.depth].iter().zip(limits).all(|(&given, most)| given <= most)
        };
        let (cube, layered) = (self.flags.has(ArrayFlags::CUBEMAP), self.flags.has(ArrayFlags::LAYERED));
        let square = self.width == self.height && self.width > 0;
        let legal = match (cube, layered) {
            (true, true) => {
                square && self.depth > 0 && self.depth.is_multiple_of(6) && within([32_768, 32_768, 6 * 2_046])
            }
            (true, false) => square && self.depth == 6 && within([32_768, 32_768, 6]),
            (false, true) => self.width > 0 && self.depth > 0 && within([32_768, 32_768, 2_048]),
            _ if self.depth > 0 => self.width > 0 && self.height > 0 && within([16_384, 16_384, 32_768]),
            _ if self.height > 0 => self.width > 0 && within([131_072, 65_536, 0]),
            _ => self.width > 0 && within([131_072, 0, 0]),
        };
        let gathers =
            !self.flags.has(ArrayFlags::GATHER) || (self.height > 0 && (self.depth == 0 || self.has_layers()));
        let known = ArrayFlags::LAYERED
            | ArrayFlags::SURFACE
            | ArrayFlags::CUBEMAP
            | ArrayFlags::GATHER
            | ArrayFlags::COLOR_ATTACHMENT;
        let format = matches!(self.format.channels, 1 | 2 | 4);
        if legal && gathers && format && self.flags.0 & !known == 0 { Ok(()) } else { Err(Status::INVALID_VALUE) }
    }

    /// Levels that halving can make.
    fn most_levels(&self) -> u32 {
        let depth = if self.has_layers() { 1 } else { self.depth };
        64 - self.width.max(self.height).max(depth).max(1).leading_zeros()
    }
}

/// A CUDA array, or a mipmapped one.
#[derive(Debug)]
pub struct Array {
    /// First byte.
    base: u64,
    /// What its maker said.
    pub shape: ArrayShape,
    levels: Vec<Region>,
}

impl Array {
    /// Its levels; one if it is not mipmapped.
    pub fn levels(&self) -> &[Region] {
        &self.levels
    }

    /// What a level is by itself.
    pub fn shape_of(&self, level: u32) -> Option<ArrayShape> {
        let region = self.levels.get(level as usize)?;
        let shape = self.shape;
        let halved = |asked: u64, now: u32| if asked == 0 { 0 } else { u64::from(now) };
        let depth = if shape.has_layers() { shape.depth } else { halved(shape.depth, region.depth) };
        Some(ArrayShape { width: u64::from(region.width), height: halved(shape.height, region.height), depth, ..shape })
    }

    /// Layers, or 1.
    pub fn layers(&self) -> u32 {
        if self.shape.has_layers() { self.shape.depth.max(1) as u32 } else { 1 }
    }
}

/// The levels of a shape, one behind the other from offset 0, and the bytes of all.
fn lay_out(shape: &ArrayShape, levels: u32) -> Option<(Vec<Region>, u64)> {
    let mut regions = Vec::new();
    let mut offset = 0u64;
    for level in 0..levels {
        let halved = |size: u64| (size >> level).max(1);
        let (width, height) = (halved(shape.width), halved(shape.height));
        let depth = if shape.has_layers() { 1 } else { halved(shape.depth) };
        let slices = if shape.has_layers() { shape.depth.max(1) } else { depth };
        let pitch = width.checked_mul(u64::from(shape.format.bytes()))?.checked_next_multiple_of(ROW)?;
        let slice = pitch.checked_mul(height)?;
        regions.push(Region {
            base: offset,
            width: width as u32,
            height: height as u32,
            depth: depth as u32,
            pitch,
            slice,
        });
        offset = offset.checked_add(slice.checked_mul(slices)?)?.checked_next_multiple_of(512)?;
    }
    Some((regions, offset))
}

impl Device {
    /// `cudaMalloc3DArray`, and `cudaMallocMipmappedArray` for more than one level.
    ///
    /// # Errors
    /// 1 for a shape that is none; 2 when there is no room; the sticky error.
    pub fn array_create(&self, shape: ArrayShape, levels: u32) -> Result<Arc<Array>, Status> {
        shape.check()?;
        // As many as there can be, if more are asked for.
        let levels = levels.clamp(1, shape.most_levels());
        let (mut regions, bytes) = lay_out(&shape, levels).ok_or(Status::INVALID_VALUE)?;
        let base = self.malloc_array(bytes)?;
        for region in &mut regions {
            region.base += base;
        }
        Ok(Arc::new(Array { base, shape, levels: regions }))
    }

    /// `cudaFreeArray`: waits for all work, then its memory is gone.
    pub fn array_destroy(&self, array: &Array) -> Status {
        self.free_array(array.base)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Element;
    use super::*;

    fn shape(width: u64, height: u64, depth: u64, flags: u32) -> ArrayShape {
        let format = Format { element: Element::Float, channels: 1, fraction: false };
        ArrayShape { format, width, height, depth, flags: ArrayFlags(flags) }
    }

    #[test]
    fn shapes_have_limits() {
        let legal = |width, height, depth, flags| shape(width, height, depth, flags).check().is_ok();
        assert!(legal(131_072, 0, 0, 0) && !legal(131_073, 0, 0, 0) && !legal(0, 0, 0, 0));
        assert!(legal(16, 16, 6, ArrayFlags::CUBEMAP));
        assert!(!legal(16, 8, 6, ArrayFlags::CUBEMAP) && !legal(16, 16, 5, ArrayFlags::CUBEMAP));
        assert!(legal(16, 16, 12, ArrayFlags::CUBEMAP | ArrayFlags::LAYERED));
        assert!(legal(8, 0, 5, ArrayFlags::LAYERED) && !legal(8, 0, 5, 0), "without layers a volume has rows");
        assert!(!legal(8, 8, 0, 0x40), "sparse arrays are not built");
        assert!(!legal(8, 0, 0, ArrayFlags::GATHER));
    }

    #[test]
    fn levels_are_halves() {
        let volume = shape(9, 4, 3, 0);
        assert_eq!(volume.most_levels(), 4);
        let (levels, bytes) = lay_out(&volume, 4).expect("it fits");
        let sizes: Vec<_> = levels.iter().map(|level| (level.width, level.height, level.depth)).collect();
        assert_eq!(sizes, [(9, 4, 3), (4, 2, 1), (2, 1, 1), (1, 1, 1)]);
        assert!(levels.windows(2).all(|pair| pair[1].base >= pair[0].base + pair[0].slice * u64::from(pair[0].depth)));
        assert!(levels.iter().all(|level| level.pitch % ROW == 0 && level.base + level.slice <= bytes));
        let layers = lay_out(&shape(4, 4, 5, ArrayFlags::LAYERED), 1).expect("it fits").1;
        assert_eq!(layers, 1024, "5 layers of 128 bytes, to a multiple of 512");
    }
}
