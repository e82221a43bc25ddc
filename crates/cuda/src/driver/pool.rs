//! The stream-ordered memory allocator.

use std::ffi::{c_int, c_void};

use hotfire_device::Status;

use super::attribute::check_device;
use crate::export::export;
use crate::pointer::{In, Out};
use crate::pool::{self, Value};
use crate::types::{Address, Handle, Location, PoolProps};
use crate::{context, notice};

/// `CU_MEM_LOCATION_TYPE_DEVICE`.
const ON_DEVICE: u32 = 1;
/// `CU_MEM_ALLOCATION_TYPE_PINNED`.
const PINNED: u32 = 1;

/// `cuMemPoolGetAttribute`.
pub(crate) fn get(handle: Handle, number: u32, value: *mut c_void) -> Result<(), Status> {
    pool::check(handle)?;
    if value.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: the API's contract: room for the attribute's type.
    unsafe {
        match pool::attribute(number)? {
            Value::Switch(switch) => value.cast::<u32>().write_unaligned(switch),
            Value::Size(size) => value.cast::<u64>().write_unaligned(size),
        }
    }
    Ok(())
}

/// `cuMemPoolSetAttribute`.
pub(crate) fn set(handle: Handle, number: u32, value: *const c_void) -> Result<(), Status> {
    pool::check(handle)?;
    if value.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    let value = if pool::is_switch(number)? {
        // SAFETY: the API's contract: a value of the attribute's type.
        u64::from(unsafe { value.cast::<u32>().read_unaligned() })
    } else {
        // SAFETY: as above.
        unsafe { value.cast::<u64>().read_unaligned() }
    };
    pool::set_attribute(number, value)
}

/// The default pool of a location: only the device has one.
pub(crate) fn of_location(out: Out<Handle>, location: &In<Location>, allocation: u32) -> Result<(), Status> {
    out.check()?;
    let location = location.get()?;
    if location.kind != ON_DEVICE || allocation != PINNED {
        notice::once("memory pools outside the device are not implemented by this device");
        return Err(Status::NOT_SUPPORTED);
    }
    check_device(location.id)?;
    out.set(pool::default_pool())
}

/// `cuMemPoolGetAccess`.
pub(crate) fn access(flags: Out<u32>, handle: Handle, location: &In<Location>) -> Result<(), Status> {
    const READ_WRITE: u32 = 3;
    pool::check(handle)?;
    let location = location.get()?;
    if location.kind != ON_DEVICE {
        return Err(Status::INVALID_VALUE);
    }
    check_device(location.id)?;
    flags.set(READ_WRITE)
}

/// Pools besides the default one.
pub(crate) fn create(_properties: &In<PoolProps>) -> Result<(), Status> {
    notice::once("memory pools besides the default one are not implemented by this device");
    Err(Status::NOT_SUPPORTED)
}

export! {
    /// The pool that every device has.
    driver fn cuDeviceGetDefaultMemPool(out: Out<Handle>, device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        out.set(pool::default_pool())
    }

    /// The pool that `cuMemAllocAsync` allocates from.
    driver fn cuDeviceGetMemPool(out: Out<Handle>, device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        out.set(pool::default_pool())
    }

    /// Chooses the pool: there is one.
    driver fn cuDeviceSetMemPool(device: c_int, handle: Handle) {
        context::require_initialised()?;
        check_device(device)?;
        pool::check(handle)
    }

    /// Allocates in stream order.
    context fn cuMemAllocAsync | cuMemAllocAsync_ptsz as default (out: Out<Address>, bytes: usize, stream: Handle) {
        out.check()?;
        out.set(pool::allocate(bytes, default.resolve(stream))?)
    }

    /// Allocates in stream order from a pool.
    context fn cuMemAllocFromPoolAsync | cuMemAllocFromPoolAsync_ptsz as default (out: Out<Address>, bytes: usize,
        handle: Handle, stream: Handle) {
        out.check()?;
        pool::check(handle)?;
        out.set(pool::allocate(bytes, default.resolve(stream))?)
    }

    /// Frees in stream order.
    context fn cuMemFreeAsync | cuMemFreeAsync_ptsz as default (address: Address, stream: Handle) {
        pool::free(address, default.resolve(stream))
    }

    /// Gives unused memory back: nothing is kept.
    context fn cuMemPoolTrimTo(handle: Handle, _keep: usize) {
        pool::check(handle)
    }

    /// An attribute of a pool.
    context fn cuMemPoolGetAttribute(handle: Handle, number: u32, value: *mut c_void) {
        get(handle, number, value)
    }

    /// Sets an attribute of a pool.
    context fn cuMemPoolSetAttribute(handle: Handle, number: u32, value: *const c_void) {
        set(handle, number, value)
    }

    /// Who may access a pool's memory: the device itself always.
    context fn cuMemPoolGetAccess(flags: Out<u32>, handle: Handle, location: In<Location>) {
        access(flags, handle, &location)
    }

    /// Lets other devices access a pool's memory: there are none.
    context fn cuMemPoolSetAccess(handle: Handle, _map: *const c_void, _count: usize) {
        pool::check(handle)
    }

    /// A further pool.
    context fn cuMemPoolCreate(_out: Out<Handle>, properties: In<PoolProps>) {
        create(&properties)
    }

    /// Destroys a pool; the default one cannot be destroyed.
    context fn cuMemPoolDestroy(_handle: Handle) {
        Err(Status::INVALID_VALUE)
    }

    /// The default pool of a location.
    context fn cuMemGetDefaultMemPool(out: Out<Handle>, location: In<Location>, allocation: u32) {
        of_location(out, &location, allocation)
    }

    /// The current pool of a location.
    context fn cuMemGetMemPool(out: Out<Handle>, location: In<Location>, allocation: u32) {
        of_location(out, &location, allocation)
    }
}
