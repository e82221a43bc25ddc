//! Arrays of the runtime API.

use super::{arrays, format};
use crate::driver::check_device;
use crate::export::export;
use crate::pointer::{In, Out};
use crate::types::{ChannelFormat, Extent, Handle};

/// Texels of memory that textures read by integers (attribute `cudaDevAttrMaxTexture1DLinearWidth`).
pub(super) const LINEAR_TEXELS: usize = 268_435_456;

export! {
    /// Makes an array of one or two dimensions.
    runtime fn cudaMallocArray(out: Out<Handle>, desc: In<ChannelFormat>, width: usize, height: usize, flags: u32) {
        out.check()?;
        let array = arrays::create(format::of_channels(&desc.get()?)?, [width, height, 0], flags, 1)?;
        out.set(arrays::handle(array))
    }

    /// Makes an array of up to three dimensions, or of layers.
    runtime fn cudaMalloc3DArray(out: Out<Handle>, desc: In<ChannelFormat>, extent: Extent, flags: u32) {
        out.check()?;
        let extent = [extent.width, extent.height, extent.depth];
        let array = arrays::create(format::of_channels(&desc.get()?)?, extent, flags, 1)?;
        out.set(arrays::handle(array))
    }

    /// Makes an array of several levels.
    runtime fn cudaMallocMipmappedArray(out: Out<Handle>, desc: In<ChannelFormat>, extent: Extent, levels: u32, flags: u32) {
        out.check()?;
        let extent = [extent.width, extent.height, extent.depth];
        let array = arrays::create(format::of_channels(&desc.get()?)?, extent, flags, levels)?;
        out.set(arrays::mipmap_handle(array))
    }

    /// One level as an array.
    runtime fn cudaGetMipmappedArrayLevel(out: Out<Handle>, mipmap: Handle, level: u32) {
        out.check()?;
        out.set(arrays::level_handle(mipmap, level)?)
    }

    /// Frees an array; null is nothing.
    runtime fn cudaFreeArray(array: Handle) {
        if array.is_null() { Ok(()) } else { arrays::destroy(array) }
    }

    /// Frees an array of several levels; null is nothing.
    runtime fn cudaFreeMipmappedArray(mipmap: Handle) {
        if mipmap.is_null() { Ok(()) } else { arrays::destroy_mipmap(mipmap) }
    }

    /// What an array is.
    runtime fn cudaArrayGetInfo(desc: Out<ChannelFormat>, extent: Out<Extent>, flags: Out<u32>, array: Handle) {
        let shape = arrays::find(array)?.shape()?;
        desc.set_if_wanted(format::channels_of(shape.format));
        extent.set_if_wanted(Extent {
            width: shape.width as usize,
            height: shape.height as usize,
            depth: shape.depth as usize,
        });
        flags.set_if_wanted(shape.flags.0);
        Ok(())
    }

    /// How many texels of a format memory for textures may hold.
    runtime fn cudaDeviceGetTexture1DLinearMaxWidth(out: Out<usize>, desc: In<ChannelFormat>, device: i32) {
        check_device(device)?;
        format::of_channels(&desc.get()?)?;
        out.set(LINEAR_TEXELS)
    }

    /// What an array is made of: its elements.
    runtime fn cudaGetChannelDesc(desc: Out<ChannelFormat>, array: Handle) {
        desc.check()?;
        desc.set(format::channels_of(arrays::find(array)?.array.shape.format))
    }
}
