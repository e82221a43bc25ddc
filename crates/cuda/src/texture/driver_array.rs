//! Arrays of the driver API.

use super::{arrays, format};
use crate::driver::check_device;
use crate::export::export;
use crate::pointer::{In, Out};
use crate::types::{Array3DDescriptor, ArrayDescriptor, Handle};

export! {
    /// Makes an array of one or two dimensions.
    context fn cuArrayCreate_v2(out: Out<Handle>, desc: In<ArrayDescriptor>) {
        out.check()?;
        let desc = desc.get()?;
        let format = format::of_driver(desc.format, desc.channels)?;
        out.set(arrays::handle(arrays::create(format, [desc.width, desc.height, 0], 0, 1)?))
    }

    /// Makes an array of up to three dimensions, or of layers.
    context fn cuArray3DCreate_v2(out: Out<Handle>, desc: In<Array3DDescriptor>) {
        out.check()?;
        let desc = desc.get()?;
        let format = format::of_driver(desc.format, desc.channels)?;
        out.set(arrays::handle(arrays::create(format, [desc.width, desc.height, desc.depth], desc.flags, 1)?))
    }

    /// Makes an array of several levels.
    context fn cuMipmappedArrayCreate(out: Out<Handle>, desc: In<Array3DDescriptor>, levels: u32) {
        out.check()?;
        let desc = desc.get()?;
        let format = format::of_driver(desc.format, desc.channels)?;
        let array = arrays::create(format, [desc.width, desc.height, desc.depth], desc.flags, levels)?;
        out.set(arrays::mipmap_handle(array))
    }

    /// One level as an array.
    context fn cuMipmappedArrayGetLevel(out: Out<Handle>, mipmap: Handle, level: u32) {
        out.check()?;
        out.set(arrays::level_handle(mipmap, level)?)
    }

    /// Frees an array.
    context fn cuArrayDestroy(array: Handle) {
        arrays::destroy(array)
    }

    /// Frees an array of several levels.
    context fn cuMipmappedArrayDestroy(mipmap: Handle) {
        arrays::destroy_mipmap(mipmap)
    }

    /// What an array is, in two dimensions.
    context fn cuArrayGetDescriptor_v2(out: Out<ArrayDescriptor>, array: Handle) {
        let shape = arrays::find(array)?.shape()?;
        let (format, channels) = format::driver_of(shape.format);
        out.set(ArrayDescriptor { width: shape.width as usize, height: shape.height as usize, format, channels })
    }

    /// What an array is.
    context fn cuArray3DGetDescriptor_v2(out: Out<Array3DDescriptor>, array: Handle) {
        let shape = arrays::find(array)?.shape()?;
        let (format, channels) = format::driver_of(shape.format);
        out.set(Array3DDescriptor {
            width: shape.width as usize,
            height: shape.height as usize,
            depth: shape.depth as usize,
            format,
            channels,
            flags: shape.flags.0,
        })
    }

    /// How many texels of a format memory for textures may hold.
    context fn cuDeviceGetTexture1DLinearMaxWidth(out: Out<usize>, number: u32, channels: u32, device: i32) {
        check_device(device)?;
        format::of_driver(number, channels)?;
        out.set(super::runtime_array::LINEAR_TEXELS)
    }
}
