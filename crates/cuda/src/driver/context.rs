//! Context management, the primary context, limits.

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering;

use hotfire_device::{Device, Limit, Status};

use super::attribute::{PRIORITIES, check_device};
use crate::export::export;
use crate::pointer::{In, Out};
use crate::types::{ContextParameters, Handle};
use crate::{context, notice, thread};

/// The flags that `cuCtxCreate` knows.
const KNOWN_FLAGS: u32 = 0xff;

fn create(out: Out<Handle>, flags: u32, device: c_int) -> Result<(), Status> {
    context::require_initialised()?;
    out.check()?;
    check_device(device)?;
    if flags & !KNOWN_FLAGS != 0 {
        return Err(Status::INVALID_VALUE);
    }
    let handle = context::create(flags);
    thread::push(handle)?;
    out.set(handle)
}

/// The context of a handle, the current one for null.
fn or_current(handle: Handle) -> Result<std::sync::Arc<context::Context>, Status> {
    context::get(if handle.is_null() { thread::current()? } else { handle })
}

/// The device's limit of that number.
pub(crate) fn limit(number: u32) -> Result<Limit, Status> {
    Limit::from_number(number).ok_or(match number {
        7..=9 => Status::UNSUPPORTED_LIMIT,
        _ => Status::INVALID_VALUE,
    })
}

export! {
    /// Retains the primary context.
    driver fn cuDevicePrimaryCtxRetain(out: Out<Handle>, device: c_int) {
        context::require_initialised()?;
        out.check()?;
        check_device(device)?;
        out.set(context::retain_primary())
    }

    /// Releases the primary context.
    driver fn cuDevicePrimaryCtxRelease_v2(device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        context::release_primary()
    }

    /// Releases the primary context (11.0's predecessor).
    driver fn cuDevicePrimaryCtxRelease(device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        context::release_primary()
    }

    /// Destroys what the primary context holds.
    driver fn cuDevicePrimaryCtxReset_v2(device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        context::reset_primary()
    }

    /// Destroys what the primary context holds (11.0's predecessor).
    driver fn cuDevicePrimaryCtxReset(device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        context::reset_primary()
    }

    /// Flags of the primary context.
    driver fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: u32) {
        context::require_initialised()?;
        check_device(device)?;
        context::set_primary_flags(flags);
        Ok(())
    }

    /// Flags of the primary context (11.0's predecessor).
    driver fn cuDevicePrimaryCtxSetFlags(device: c_int, flags: u32) {
        context::require_initialised()?;
        check_device(device)?;
        context::set_primary_flags(flags);
        Ok(())
    }

    /// Flags of the primary context, and whether it is active.
    driver fn cuDevicePrimaryCtxGetState(device: c_int, flags: Out<u32>, active: Out<c_int>) {
        context::require_initialised()?;
        check_device(device)?;
        let (now, is_active) = context::primary_state();
        flags.set(now)?;
        active.set(c_int::from(is_active))
    }

    /// A new context, made current.
    driver fn cuCtxCreate_v2(out: Out<Handle>, flags: u32, device: c_int) {
        create(out, flags, device)
    }

    /// A new context; execution affinity is for MPS, which there is none of.
    driver fn cuCtxCreate_v3(out: Out<Handle>, _affinity: *const c_void, affinities: c_int, flags: u32, device: c_int) {
        if affinities != 0 {
            notice::once("execution affinity of contexts is not implemented by this device");
            return Err(Status(224)); // CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY
        }
        create(out, flags, device)
    }

    /// A new context; its parameters are for MPS and graphics. Programs that want neither pass null or a structure of zeros.
    driver fn cuCtxCreate_v4(out: Out<Handle>, parameters: In<ContextParameters>, flags: u32, device: c_int) {
        if !parameters.is_null() && parameters.get()?.asks() {
            notice::once("parameters of cuCtxCreate (affinity, graphics) are not implemented by this device");
            return Err(Status::NOT_SUPPORTED);
        }
        create(out, flags, device)
    }

    /// Destroys a context.
    driver fn cuCtxDestroy_v2(context: Handle) {
        context::require_initialised()?;
        context::destroy(context)?;
        if thread::current()? == context {
            thread::pop()?;
        }
        Ok(())
    }

    /// Makes a context current on top of the others.
    driver fn cuCtxPushCurrent_v2(context: Handle) {
        context::require_initialised()?;
        context::get(context)?;
        thread::push(context)
    }

    /// Takes the current context off.
    driver fn cuCtxPopCurrent_v2(out: Out<Handle>) {
        context::require_initialised()?;
        let popped = thread::pop()?;
        out.set_if_wanted(popped);
        Ok(())
    }

    /// Makes a context the current one.
    driver fn cuCtxSetCurrent(context: Handle) {
        context::require_initialised()?;
        if !context.is_null() {
            context::get(context)?;
        }
        thread::set_current(context)
    }

    /// The current context, null if there is none.
    driver fn cuCtxGetCurrent(out: Out<Handle>) {
        context::require_initialised()?;
        out.set(thread::current()?)
    }

    /// The device of the current context.
    driver fn cuCtxGetDevice(device: Out<c_int>) {
        context::require_initialised()?;
        or_current(std::ptr::null_mut())?;
        device.set(0)
    }

    /// The device of a context.
    driver fn cuCtxGetDevice_v2(device: Out<c_int>, context: Handle) {
        context::require_initialised()?;
        or_current(context)?;
        device.set(0)
    }

    /// The flags of the current context.
    driver fn cuCtxGetFlags(flags: Out<u32>) {
        context::require_initialised()?;
        flags.set(or_current(std::ptr::null_mut())?.flags.load(Ordering::Relaxed))
    }

    /// Sets the flags of the current context.
    driver fn cuCtxSetFlags(flags: u32) {
        context::require_initialised()?;
        or_current(std::ptr::null_mut())?.flags.store(flags, Ordering::Relaxed);
        Ok(())
    }

    /// A number that no other context has.
    driver fn cuCtxGetId(context: Handle, id: Out<u64>) {
        context::require_initialised()?;
        id.set(or_current(context)?.id)
    }

    /// The API version of a context.
    driver fn cuCtxGetApiVersion(context: Handle, version: Out<u32>) {
        context::require_initialised()?;
        or_current(context)?;
        version.set(3020)
    }

    /// Waits for all work.
    context fn cuCtxSynchronize() {
        Device::get().synchronize().ok()
    }

    /// Waits for all work of a context.
    context fn cuCtxSynchronize_v2(context: Handle) {
        or_current(context)?;
        Device::get().synchronize().ok()
    }

    /// Sets a limit.
    context fn cuCtxSetLimit(number: u32, value: usize) {
        Device::get().set_limit(limit(number)?, value as u64).ok()
    }

    /// Reads a limit.
    context fn cuCtxGetLimit(value: Out<usize>, number: u32) {
        value.check()?;
        value.set(Device::get().limit(limit(number)?)? as usize)
    }

    /// The cache preference: there is no cache to configure.
    context fn cuCtxGetCacheConfig(config: Out<u32>) {
        config.set(0)
    }

    /// The cache preference: a hint.
    context fn cuCtxSetCacheConfig(_config: u32) {
        Ok(())
    }

    /// Bank width: fixed on sm_90.
    context fn cuCtxGetSharedMemConfig(config: Out<u32>) {
        config.set(1)
    }

    /// Bank width: has no effect on sm_90.
    context fn cuCtxSetSharedMemConfig(_config: u32) {
        Ok(())
    }

    /// Least and greatest priority of streams.
    context fn cuCtxGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) {
        least.set_if_wanted(PRIORITIES.0);
        greatest.set_if_wanted(PRIORITIES.1);
        Ok(())
    }

    /// Persisting lines of the L2 cache: a hint.
    context fn cuCtxResetPersistingL2Cache() {
        Ok(())
    }

    /// Access to another context's memory: all contexts are on one device.
    context fn cuCtxEnablePeerAccess(context: Handle, _flags: u32) {
        context::get(context)?;
        Err(Status(217)) // CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
    }

    /// Takes back what cannot have been enabled.
    context fn cuCtxDisablePeerAccess(context: Handle) {
        context::get(context)?;
        Err(Status(705)) // CUDA_ERROR_PEER_ACCESS_NOT_ENABLED
    }

    /// Starts the profiler: there is none.
    context fn cuProfilerStart() {
        Ok(())
    }

    /// Stops the profiler: there is none.
    context fn cuProfilerStop() {
        Ok(())
    }
}
