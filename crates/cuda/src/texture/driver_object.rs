//! Texture and surface objects of the driver API.

use hotfire_device::texture::{Format, Resource};
use hotfire_device::{Device, Status};

use super::format;
use super::object::{self, kind};
use crate::export::export;
use crate::pointer::{In, Out};
use crate::types::{DriverTextureDesc, ResourceDesc, ResourceViewDesc};

fn format_of(desc: &ResourceDesc) -> Result<Format, Status> {
    format::of_driver(desc.value[1] as u32, (desc.value[1] >> 32) as u32)
}

fn of(desc: &ResourceDesc) -> Result<Resource, Status> {
    let [address, _, first, second, third, ..] = desc.value;
    if desc.flags != 0 {
        return Err(Status::INVALID_VALUE);
    }
    match desc.kind {
        kind::ARRAY | kind::MIPMAPPED => object::of_array(desc.kind, address),
        kind::LINEAR => Ok(Resource::Linear { address, format: format_of(desc)?, bytes: first }),
        kind::PITCHED => {
            Ok(Resource::Pitched { address, format: format_of(desc)?, width: first, height: second, pitch: third })
        }
        _ => Err(Status::INVALID_VALUE),
    }
}

fn desc_of(resource: &Resource) -> ResourceDesc {
    let mut desc = ResourceDesc::default();
    let words = |format: Format| {
        let (number, channels) = format::driver_of(format);
        u64::from(number) | u64::from(channels) << 32
    };
    match *resource {
        Resource::Linear { address, format, bytes } => {
            desc.kind = kind::LINEAR;
            desc.value[..3].copy_from_slice(&[address, words(format), bytes]);
        }
        Resource::Pitched { address, format, width, height, pitch } => {
            desc.kind = kind::PITCHED;
            desc.value[..5].copy_from_slice(&[address, words(format), width, height, pitch]);
        }
        _ => (desc.kind, desc.value[0]) = object::array_of(resource).unwrap_or_default(),
    }
    desc
}

fn format_in(resource: &Resource) -> Format {
    match resource {
        Resource::Array { array, .. } | Resource::Mipmapped { array, .. } => array.shape.format,
        Resource::Linear { format, .. } | Resource::Pitched { format, .. } => *format,
    }
}

export! {
    /// Makes a texture object.
    context fn cuTexObjectCreate(out: Out<u64>, resource: In<ResourceDesc>, texture: In<DriverTextureDesc>,
        view: In<ResourceViewDesc>) {
        out.check()?;
        let view = if view.is_null() { None } else { Some(object::of_view(&view.get()?)?) };
        let resource = of(&resource.get()?)?;
        let format = view.and_then(|view| view.format).unwrap_or_else(|| format_in(&resource));
        let sampler = object::of_driver(&texture.get()?, format.element.may_be_fraction())?;
        out.set(Device::get().texture_create(resource, sampler, view)?)
    }

    /// Destroys a texture object.
    context fn cuTexObjectDestroy(texture: u64) {
        object::destroy(texture, false)
    }

    /// What a texture object was made of.
    context fn cuTexObjectGetResourceDesc(out: Out<ResourceDesc>, texture: u64) {
        out.set(desc_of(&object::resource(texture, false)?))
    }

    /// How a texture object is read.
    context fn cuTexObjectGetTextureDesc(out: Out<DriverTextureDesc>, texture: u64) {
        out.set(object::driver_of(&object::sampler(texture)?))
    }

    /// The part that a texture object shows.
    context fn cuTexObjectGetResourceViewDesc(out: Out<ResourceViewDesc>, texture: u64) {
        out.set(object::view(texture)?)
    }

    /// Makes a surface object.
    context fn cuSurfObjectCreate(out: Out<u64>, resource: In<ResourceDesc>) {
        out.check()?;
        out.set(Device::get().surface_create(of(&resource.get()?)?)?)
    }

    /// Destroys a surface object.
    context fn cuSurfObjectDestroy(surface: u64) {
        object::destroy(surface, true)
    }

    /// What a surface object was made of.
    context fn cuSurfObjectGetResourceDesc(out: Out<ResourceDesc>, surface: u64) {
        out.set(desc_of(&object::resource(surface, true)?))
    }
}
