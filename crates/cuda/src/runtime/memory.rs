//! Memory management: device, pinned, registered and managed memory, and what a pointer points into.

use std::ffi::c_int;

use hotfire_device::{Device, MemoryKind, Status};

use crate::driver::{check_managed, device_pointer, free, host_flags, managed, stream_flags};
use crate::export::export;
use crate::pointer::Out;
use crate::types::{Address, ChannelFormat, Extent, Handle, Location, PitchedPtr, PointerAttributes};

export! {
    /// Allocates device memory; 0 bytes are a null pointer.
    runtime fn cudaMalloc(out: Out<Address>, bytes: usize) {
        out.check()?;
        out.set(Device::get().malloc(bytes as u64)?)
    }

    /// Allocates rows at a pitch that suits the device.
    runtime fn cudaMallocPitch(out: Out<Address>, pitch: Out<usize>, width: usize, height: usize) {
        out.check()?;
        pitch.check()?;
        let (address, bytes) = Device::get().malloc_pitch(width as u64, height as u64)?;
        pitch.set(bytes as usize)?;
        out.set(address)
    }

    /// Allocates slices of rows at a pitch that suits the device.
    runtime fn cudaMalloc3D(out: Out<PitchedPtr>, extent: Extent) {
        out.check()?;
        let rows = extent.height.checked_mul(extent.depth).ok_or(Status::INVALID_VALUE)?;
        let (ptr, pitch) = Device::get().malloc_pitch(extent.width as u64, rows as u64)?;
        out.set(PitchedPtr { ptr, pitch: pitch as usize, xsize: extent.width, ysize: extent.height })
    }

    /// Frees device or managed memory; null is nothing.
    runtime fn cudaFree(address: Address) {
        free(address)
    }

    /// Allocates pinned memory.
    runtime fn cudaMallocHost(out: Out<Address>, bytes: usize) {
        out.check()?;
        out.set(Device::get().host_alloc(bytes as u64, 0)?)
    }

    /// Allocates pinned memory.
    runtime fn cudaHostAlloc(out: Out<Address>, bytes: usize, flags: u32) {
        out.check()?;
        if flags & !7 != 0 {
            return Err(Status::INVALID_VALUE);
        }
        out.set(Device::get().host_alloc(bytes as u64, flags)?)
    }

    /// Frees pinned memory; null is nothing.
    runtime fn cudaFreeHost(address: Address) {
        if address == 0 {
            return Ok(());
        }
        Device::get().host_free(address).ok()
    }

    /// Pins ordinary memory.
    runtime fn cudaHostRegister(host: Address, bytes: usize, flags: u32) {
        Device::get().host_register(host, bytes as u64, flags).ok()
    }

    /// Unpins ordinary memory.
    runtime fn cudaHostUnregister(host: Address) {
        Device::get().host_unregister(host).ok()
    }

    /// The device address of pinned memory.
    runtime fn cudaHostGetDevicePointer(out: Out<Address>, host: Address, flags: u32) {
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        out.set(device_pointer(host)?)
    }

    /// The flags that pinned memory was allocated with.
    runtime fn cudaHostGetFlags(flags: Out<u32>, host: Address) {
        flags.set(host_flags(host)?)
    }

    /// Allocates managed memory.
    runtime fn cudaMallocManaged(out: Out<Address>, bytes: usize, flags: u32) {
        out.check()?;
        out.set(managed(bytes, flags)?)
    }

    /// Free and total device memory.
    runtime fn cudaMemGetInfo(free: Out<usize>, total: Out<usize>) {
        let (available, all) = Device::get().mem_info();
        free.set(available as usize)?;
        total.set(all as usize)
    }

    /// What a pointer points into; ordinary host memory is no error.
    runtime fn cudaPointerGetAttributes(out: Out<PointerAttributes>, address: Address) {
        out.check()?;
        let found = Device::get().find(address);
        let kind = match found.map(|found| found.kind) {
            None => 0,
            Some(MemoryKind::Host | MemoryKind::Registered) => 1,
            Some(MemoryKind::Device) => 2,
            Some(MemoryKind::Managed) => 3,
        };
        out.set(PointerAttributes {
            kind,
            device: if found.is_some() { 0 } else { -2 }, // cudaInvalidDeviceId
            device_pointer: if found.is_some() { address } else { 0 },
            host_pointer: if kind == 2 { 0 } else { address },
            reserved: [0; 8],
        })
    }

    /// Where managed memory should be: it is everywhere at once here.
    runtime fn cudaMemPrefetchAsync | cudaMemPrefetchAsync_ptsz as default (address: Address, bytes: usize, _to: Location,
        flags: u32, stream: Handle) {
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        stream_flags(default.resolve(stream))?;
        check_managed(address, bytes)
    }

    /// How managed memory will be used: a hint.
    runtime fn cudaMemAdvise(address: Address, bytes: usize, _advice: u32, _location: Location) {
        check_managed(address, bytes)
    }

    /// A description of array elements: just numbers.
    plain fn cudaCreateChannelDesc(x: c_int, y: c_int, z: c_int, w: c_int, kind: u32) -> ChannelFormat {
        ChannelFormat { x, y, z, w, kind }
    }
}

impl crate::export::Zero for ChannelFormat {
    fn zero() -> Self {
        Self::default()
    }
}
