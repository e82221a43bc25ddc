//! Texture and surface objects: what both APIs' structures say, in the device's words.

use hotfire_device::texture::{AddressMode, Resource, Sampler, View};
use hotfire_device::{Device, Status};

use super::{arrays, format};
use crate::types::{DriverTextureDesc, Handle, ResourceViewDesc, TextureDesc};

/// `cudaResourceType`, `CUresourcetype`
pub(super) mod kind {
    pub const ARRAY: u32 = 0;
    pub const MIPMAPPED: u32 = 1;
    pub const LINEAR: u32 = 2;
    pub const PITCHED: u32 = 3;
}

/// Flags of `CUDA_TEXTURE_DESC`.
mod flag {
    pub const READ_AS_INTEGER: u32 = 1;
    pub const NORMALIZED_COORDINATES: u32 = 2;
    pub const SRGB: u32 = 0x10;
    pub const DISABLE_TRILINEAR: u32 = 0x20;
    pub const SEAMLESS: u32 = 0x40;
}

/// The resource behind the handle of an array.
pub(super) fn of_array(kind: u32, handle: u64) -> Result<Resource, Status> {
    if kind == kind::ARRAY {
        let found = arrays::find(handle as Handle)?;
        Ok(Resource::Array { array: found.array.clone(), level: found.level, handle })
    } else {
        Ok(Resource::Mipmapped { array: arrays::find_mipmap(handle as Handle)?.array.clone(), handle })
    }
}

/// The handle of a resource's array.
pub(super) fn array_of(resource: &Resource) -> Option<(u32, u64)> {
    match resource {
        Resource::Array { handle, .. } => Some((kind::ARRAY, *handle)),
        Resource::Mipmapped { handle, .. } => Some((kind::MIPMAPPED, *handle)),
        _ => None,
    }
}

fn mode(number: u32) -> Result<AddressMode, Status> {
    Ok(match number {
        0 => AddressMode::Wrap,
        1 => AddressMode::Clamp,
        2 => AddressMode::Mirror,
        3 => AddressMode::Border,
        _ => return Err(Status::INVALID_VALUE),
    })
}

fn modes(numbers: [u32; 3]) -> Result<[AddressMode; 3], Status> {
    let [x, y, z] = numbers;
    Ok([mode(x)?, mode(y)?, mode(z)?])
}

fn filter(number: u32) -> Result<bool, Status> {
    if number > 1 { Err(Status::INVALID_VALUE) } else { Ok(number == 1) }
}

/// `cudaTextureDesc`
pub(super) fn of_runtime(desc: &TextureDesc) -> Result<Sampler, Status> {
    Ok(Sampler {
        address: modes(desc.address_mode)?,
        linear: filter(desc.filter_mode)?,
        fraction: filter(desc.read_mode)?,
        srgb: desc.srgb != 0,
        border: desc.border_color,
        normalised: desc.normalized_coords != 0,
        anisotropy: desc.max_anisotropy,
        mip_linear: filter(desc.mipmap_filter_mode)?,
        bias: desc.mipmap_level_bias,
        levels: [desc.min_mipmap_level_clamp, desc.max_mipmap_level_clamp],
        disable_trilinear: desc.disable_trilinear_optimization != 0,
        seamless: desc.seamless_cubemap != 0,
    })
}

/// The same the other way.
pub(super) fn runtime_of(sampler: &Sampler) -> TextureDesc {
    TextureDesc {
        address_mode: sampler.address.map(|mode| mode as u32),
        filter_mode: sampler.linear.into(),
        read_mode: sampler.fraction.into(),
        srgb: sampler.srgb.into(),
        border_color: sampler.border,
        normalized_coords: sampler.normalised.into(),
        max_anisotropy: sampler.anisotropy,
        mipmap_filter_mode: sampler.mip_linear.into(),
        mipmap_level_bias: sampler.bias,
        min_mipmap_level_clamp: sampler.levels[0],
        max_mipmap_level_clamp: sampler.levels[1],
        disable_trilinear_optimization: sampler.disable_trilinear.into(),
        seamless_cubemap: sampler.seamless.into(),
    }
}

/// `CUDA_TEXTURE_DESC`; integers of 32 bits are read as they are whatever the flag says.
pub(super) fn of_driver(desc: &DriverTextureDesc, may_be_fraction: bool) -> Result<Sampler, Status> {
    let has = |flag| desc.flags & flag != 0;
    Ok(Sampler {
        address: modes(desc.address_mode)?,
        linear: filter(desc.filter_mode)?,
        fraction: !has(flag::READ_AS_INTEGER) && may_be_fraction,
        srgb: has(flag::SRGB),
        border: desc.border_color,
        normalised: has(flag::NORMALIZED_COORDINATES),
        anisotropy: desc.max_anisotropy,
        mip_linear: filter(desc.mipmap_filter_mode)?,
        bias: desc.mipmap_level_bias,
        levels: [desc.min_mipmap_level_clamp, desc.max_mipmap_level_clamp],
        disable_trilinear: has(flag::DISABLE_TRILINEAR),
        seamless: has(flag::SEAMLESS),
    })
}

/// The same the other way.
pub(super) fn driver_of(sampler: &Sampler) -> DriverTextureDesc {
    let set = |flag, on: bool| if on { flag } else { 0 };
    DriverTextureDesc {
        address_mode: sampler.address.map(|mode| mode as u32),
        filter_mode: sampler.linear.into(),
        flags: set(flag::READ_AS_INTEGER, !sampler.fraction)
            | set(flag::NORMALIZED_COORDINATES, sampler.normalised)
            | set(flag::SRGB, sampler.srgb)
            | set(flag::DISABLE_TRILINEAR, sampler.disable_trilinear)
            | set(flag::SEAMLESS, sampler.seamless),
        max_anisotropy: sampler.anisotropy,
        mipmap_filter_mode: sampler.mip_linear.into(),
        mipmap_level_bias: sampler.bias,
        min_mipmap_level_clamp: sampler.levels[0],
        max_mipmap_level_clamp: sampler.levels[1],
        border_color: sampler.border,
        reserved: [0; 12],
    }
}

/// `cudaResourceViewDesc`, `CUDA_RESOURCE_VIEW_DESC`
pub(super) fn of_view(desc: &ResourceViewDesc) -> Result<View, Status> {
    Ok(View {
        number: desc.format,
        format: format::of_view(desc.format)?,
        extent: [desc.width, desc.height, desc.depth].map(|size| size as u64),
        levels: [desc.first_mipmap_level, desc.last_mipmap_level],
        layers: [desc.first_layer, desc.last_layer],
    })
}

/// The same the other way.
pub(super) fn view_of(view: &View) -> ResourceViewDesc {
    let [width, height, depth] = view.extent.map(|size| size as usize);
    ResourceViewDesc {
        format: view.number,
        width,
        height,
        depth,
        first_mipmap_level: view.levels[0],
        last_mipmap_level: view.levels[1],
        first_layer: view.layers[0],
        last_layer: view.layers[1],
        reserved: [0; 16],
    }
}

/// The view that a texture was made with. 1 if there was none, or no such texture.
pub(super) fn view(handle: u64) -> Result<ResourceViewDesc, Status> {
    let view = Device::get().texture_object(handle, false, |object| object.view).flatten();
    Ok(view_of(&view.ok_or(Status::INVALID_VALUE)?))
}

/// How a texture is read.
pub(super) fn sampler(handle: u64) -> Result<Sampler, Status> {
    let sampler = Device::get().texture_object(handle, false, |object| match object.kind {
        hotfire_device::texture::ObjectKind::Texture(sampler) => Some(sampler),
        hotfire_device::texture::ObjectKind::Surface => None,
    });
    sampler.flatten().ok_or(Status::INVALID_VALUE)
}

/// What an object was made of.
pub(super) fn resource(handle: u64, surface: bool) -> Result<Resource, Status> {
    Device::get().texture_object(handle, surface, |object| object.resource.clone()).ok_or(Status::INVALID_VALUE)
}

/// Destroys an object.
pub(super) fn destroy(handle: u64, surface: bool) -> Result<(), Status> {
    if Device::get().texture_destroy(handle, surface) { Ok(()) } else { Err(Status::INVALID_VALUE) }
}
