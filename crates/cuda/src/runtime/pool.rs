//! The stream-ordered memory allocator.

use std::ffi::{c_int, c_void};

use hotfire_device::Status;

use crate::driver::{check_device, pool_access, pool_attribute, pool_create, pool_of_location, set_pool_attribute};
use crate::export::export;
use crate::pointer::{In, Out};
use crate::pool;
use crate::types::{Address, Handle, Location, PoolProps};

export! {
    /// The pool that every device has.
    runtime_plain fn cudaDeviceGetDefaultMemPool(out: Out<Handle>, device: c_int) {
        check_device(device)?;
        out.set(pool::default_pool())
    }

    /// The pool that `cudaMallocAsync` allocates from.
    runtime_plain fn cudaDeviceGetMemPool(out: Out<Handle>, device: c_int) {
        check_device(device)?;
        out.set(pool::default_pool())
    }

    /// Chooses the pool: there is one.
    runtime_plain fn cudaDeviceSetMemPool(device: c_int, handle: Handle) {
        check_device(device)?;
        pool::check(handle)
    }

    /// Allocates in stream order.
    runtime fn cudaMallocAsync | cudaMallocAsync_ptsz as default (out: Out<Address>, bytes: usize, stream: Handle) {
        out.check()?;
        out.set(pool::allocate(bytes, default.resolve(stream))?)
    }

    /// Allocates in stream order from a pool.
    runtime fn cudaMallocFromPoolAsync | cudaMallocFromPoolAsync_ptsz as default (out: Out<Address>, bytes: usize,
        handle: Handle, stream: Handle) {
        out.check()?;
        pool::check(handle)?;
        out.set(pool::allocate(bytes, default.resolve(stream))?)
    }

    /// Frees in stream order.
    runtime fn cudaFreeAsync | cudaFreeAsync_ptsz as default (address: Address, stream: Handle) {
        pool::free(address, default.resolve(stream))
    }

    /// Gives unused memory back: nothing is kept.
    runtime fn cudaMemPoolTrimTo(handle: Handle, _keep: usize) {
        pool::check(handle)
    }

    /// An attribute of a pool.
    runtime fn cudaMemPoolGetAttribute(handle: Handle, number: u32, value: *mut c_void) {
        pool_attribute(handle, number, value)
    }

    /// Sets an attribute of a pool.
    runtime fn cudaMemPoolSetAttribute(handle: Handle, number: u32, value: *const c_void) {
        set_pool_attribute(handle, number, value)
    }

    /// Who may access a pool's memory: the device itself always.
    runtime fn cudaMemPoolGetAccess(flags: Out<u32>, handle: Handle, location: In<Location>) {
        pool_access(flags, handle, &location)
    }

    /// Lets other devices access a pool's memory: there are none.
    runtime fn cudaMemPoolSetAccess(handle: Handle, _map: *const c_void, _count: usize) {
        pool::check(handle)
    }

    /// A further pool.
    runtime fn cudaMemPoolCreate(_out: Out<Handle>, properties: In<PoolProps>) {
        pool_create(&properties)
    }

    /// Destroys a pool; the default one cannot be destroyed.
    runtime fn cudaMemPoolDestroy(_handle: Handle) {
        Err(Status::INVALID_VALUE)
    }

    /// The default pool of a location.
    runtime fn cudaMemGetDefaultMemPool(out: Out<Handle>, location: In<Location>, allocation: u32) {
        pool_of_location(out, &location, allocation)
    }

    /// The current pool of a location.
    runtime fn cudaMemGetMemPool(out: Out<Handle>, location: In<Location>, allocation: u32) {
        pool_of_location(out, &location, allocation)
    }
}
