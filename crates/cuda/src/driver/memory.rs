//! Memory management: device, pinned, registered and managed memory.

use std::ffi::c_int;

use hotfire_device::{Device, MemoryKind, Status};

use crate::export::export;
use crate::pointer::Out;
use crate::pool;
use crate::types::{Address, Location};

const ATTACH_GLOBAL: u32 = 1;
const ATTACH_HOST: u32 = 2;

/// `cudaMallocManaged`.
pub(crate) fn managed(bytes: usize, flags: u32) -> Result<u64, Status> {
    if bytes == 0 || (flags != ATTACH_GLOBAL && flags != ATTACH_HOST) {
        return Err(Status::INVALID_VALUE);
    }
    Device::get().malloc_managed(bytes as u64, flags)
}

/// Frees device or managed memory.
pub(crate) fn free(address: u64) -> Result<(), Status> {
    Device::get().free(address).ok()?;
    pool::forget(address);
    Ok(())
}

/// The device address of pinned or registered host memory: the same.
pub(crate) fn device_pointer(host: u64) -> Result<u64, Status> {
    match Device::get().find(host) {
        Some(found) if matches!(found.kind, MemoryKind::Host | MemoryKind::Registered) => Ok(host),
        _ => Err(Status::INVALID_VALUE),
    }
}

/// The flags of pinned or registered host memory.
pub(crate) fn host_flags(host: u64) -> Result<u32, Status> {
    match Device::get().find(host) {
        Some(found) if matches!(found.kind, MemoryKind::Host | MemoryKind::Registered) => Ok(found.flags),
        _ => Err(Status::INVALID_VALUE),
    }
}

/// Fails unless `bytes` at an address lie in one allocation of managed memory.
pub(crate) fn check_managed(address: u64, bytes: usize) -> Result<(), Status> {
    match Device::get().find(address) {
        Some(found) if found.kind == MemoryKind::Managed && address - found.base + bytes as u64 <= found.size => Ok(()),
        _ => Err(Status::INVALID_VALUE),
    }
}

export! {
    /// Free and total device memory.
    context fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        let (available, all) = Device::get().mem_info();
        free.set(available as usize)?;
        total.set(all as usize)
    }

    /// Allocates device memory.
    context fn cuMemAlloc_v2(out: Out<Address>, bytes: usize) {
        out.check()?;
        if bytes == 0 {
            return Err(Status::INVALID_VALUE);
        }
        out.set(Device::get().malloc(bytes as u64)?)
    }

    /// Allocates rows at a pitch that suits the device.
    context fn cuMemAllocPitch_v2(out: Out<Address>, pitch: Out<usize>, width: usize, height: usize, element: u32) {
        out.check()?;
        pitch.check()?;
        if ![4, 8, 16].contains(&element) || width == 0 || height == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let (address, bytes) = Device::get().malloc_pitch(width as u64, height as u64)?;
        pitch.set(bytes as usize)?;
        out.set(address)
    }

    /// Frees device or managed memory.
    context fn cuMemFree_v2(address: Address) {
        free(address)
    }

    /// The allocation around an address.
    context fn cuMemGetAddressRange_v2(base: Out<Address>, size: Out<usize>, address: Address) {
        let found = Device::get().find(address).ok_or(Status::SYMBOL_NOT_FOUND)?;
        base.set_if_wanted(found.base);
        size.set_if_wanted(found.size as usize);
        Ok(())
    }

    /// Allocates pinned memory.
    context fn cuMemAllocHost_v2(out: Out<Address>, bytes: usize) {
        out.check()?;
        if bytes == 0 {
            return Err(Status::INVALID_VALUE);
        }
        out.set(Device::get().host_alloc(bytes as u64, 0)?)
    }

    /// Allocates pinned memory.
    context fn cuMemHostAlloc(out: Out<Address>, bytes: usize, flags: u32) {
        out.check()?;
        if bytes == 0 || flags & !7 != 0 {
            return Err(Status::INVALID_VALUE);
        }
        out.set(Device::get().host_alloc(bytes as u64, flags)?)
    }

    /// Frees pinned memory.
    context fn cuMemFreeHost(address: Address) {
        Device::get().host_free(address).ok()
    }

    /// The device address of pinned memory.
    context fn cuMemHostGetDevicePointer_v2(out: Out<Address>, host: Address, flags: u32) {
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        out.set(device_pointer(host)?)
    }

    /// The flags that pinned memory was allocated with.
    context fn cuMemHostGetFlags(flags: Out<u32>, host: Address) {
        flags.set(host_flags(host)?)
    }

    /// Pins ordinary memory.
    context fn cuMemHostRegister_v2(host: Address, bytes: usize, flags: u32) {
        Device::get().host_register(host, bytes as u64, flags).ok()
    }

    /// Unpins ordinary memory.
    context fn cuMemHostUnregister(host: Address) {
        Device::get().host_unregister(host).ok()
    }

    /// Allocates managed memory.
    context fn cuMemAllocManaged(out: Out<Address>, bytes: usize, flags: u32) {
        out.check()?;
        out.set(managed(bytes, flags)?)
    }

    /// Where managed memory should be: it is everywhere at once here.
    context fn cuMemPrefetchAsync_v2 | cuMemPrefetchAsync_v2_ptsz as default (address: Address, bytes: usize, _to: Location,
        flags: u32, stream: crate::types::Handle) {
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        super::stream::flags(default.resolve(stream))?;
        check_managed(address, bytes)
    }

    /// Where managed memory should be (12.2's predecessor).
    context fn cuMemPrefetchAsync | cuMemPrefetchAsync_ptsz as default (address: Address, bytes: usize, _to: c_int,
        stream: crate::types::Handle) {
        super::stream::flags(default.resolve(stream))?;
        check_managed(address, bytes)
    }

    /// How managed memory will be used: a hint.
    context fn cuMemAdvise_v2(address: Address, bytes: usize, _advice: u32, _location: Location) {
        check_managed(address, bytes)
    }

    /// How managed memory will be used: a hint (12.2's predecessor).
    context fn cuMemAdvise(address: Address, bytes: usize, _advice: u32, _device: c_int) {
        check_managed(address, bytes)
    }
}
