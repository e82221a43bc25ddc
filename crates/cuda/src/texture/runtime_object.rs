//! Texture and surface objects of the runtime API.

use hotfire_device::texture::Resource;
use hotfire_device::{Device, Status};

use super::format;
use super::object::{self, kind};
use crate::export::export;
use crate::pointer::{In, Out};
use crate::types::{ChannelFormat, ResourceDesc, ResourceViewDesc, TextureDesc};

/// Where a description of memory has its channel format: behind the address.
fn channels(desc: &ResourceDesc) -> ChannelFormat {
    let [first, second, third] = [desc.value[1], desc.value[2], desc.value[3]];
    ChannelFormat {
        x: first as i32,
        y: (first >> 32) as i32,
        z: second as i32,
        w: (second >> 32) as i32,
        kind: third as u32,
    }
}

fn of(desc: &ResourceDesc) -> Result<Resource, Status> {
    let [address, _, _, _, first, second, third, ..] = desc.value;
    match desc.kind {
        kind::ARRAY | kind::MIPMAPPED => object::of_array(desc.kind, address),
        kind::LINEAR => Ok(Resource::Linear { address, format: format::of_channels(&channels(desc))?, bytes: first }),
        kind::PITCHED => {
            let format = format::of_channels(&channels(desc))?;
            Ok(Resource::Pitched { address, format, width: first, height: second, pitch: third })
        }
        _ => Err(Status::INVALID_VALUE),
    }
}

fn desc_of(resource: &Resource) -> ResourceDesc {
    let mut desc = ResourceDesc::default();
    let format = match *resource {
        Resource::Linear { address, format, bytes } => {
            desc.kind = kind::LINEAR;
            (desc.value[0], desc.value[4]) = (address, bytes);
            format
        }
        Resource::Pitched { address, format, width, height, pitch } => {
            desc.kind = kind::PITCHED;
            (desc.value[0], desc.value[4], desc.value[5], desc.value[6]) = (address, width, height, pitch);
            format
        }
        _ => {
            (desc.kind, desc.value[0]) = object::array_of(resource).unwrap_or_default();
            return desc;
        }
    };
    let channels = format::channels_of(format);
    let pair = |low: i32, high: i32| u64::from(low as u32) | u64::from(high as u32) << 32;
    desc.value[1] = pair(channels.x, channels.y);
    desc.value[2] = pair(channels.z, channels.w);
    desc.value[3] = u64::from(channels.kind);
    desc
}

export! {
    /// Makes a texture object.
    runtime fn cudaCreateTextureObject(out: Out<u64>, resource: In<ResourceDesc>, texture: In<TextureDesc>, view: In<ResourceViewDesc>) {
        out.check()?;
        let sampler = object::of_runtime(&texture.get()?)?;
        let view = if view.is_null() { None } else { Some(object::of_view(&view.get()?)?) };
        out.set(Device::get().texture_create(of(&resource.get()?)?, sampler, view)?)
    }

    /// Destroys a texture object.
    runtime fn cudaDestroyTextureObject(texture: u64) {
        object::destroy(texture, false)
    }

    /// What a texture object was made of.
    runtime fn cudaGetTextureObjectResourceDesc(out: Out<ResourceDesc>, texture: u64) {
        out.set(desc_of(&object::resource(texture, false)?))
    }

    /// How a texture object is read.
    runtime fn cudaGetTextureObjectTextureDesc(out: Out<TextureDesc>, texture: u64) {
        out.set(object::runtime_of(&object::sampler(texture)?))
    }

    /// The part that a texture object shows.
    runtime fn cudaGetTextureObjectResourceViewDesc(out: Out<ResourceViewDesc>, texture: u64) {
        out.set(object::view(texture)?)
    }

    /// Makes a surface object.
    runtime fn cudaCreateSurfaceObject(out: Out<u64>, resource: In<ResourceDesc>) {
        out.check()?;
        out.set(Device::get().surface_create(of(&resource.get()?)?)?)
    }

    /// Destroys a surface object.
    runtime fn cudaDestroySurfaceObject(surface: u64) {
        object::destroy(surface, true)
    }

    /// What a surface object was made of.
    runtime fn cudaGetSurfaceObjectResourceDesc(out: Out<ResourceDesc>, surface: u64) {
        out.set(desc_of(&object::resource(surface, true)?))
    }
}
