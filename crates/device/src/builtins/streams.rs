//! Named streams and events of device code. launch-model.md section 3.2.

use super::arguments::{Arguments, Caller};
use super::launch::{refusal, stream};
use crate::status::Status;
use hotfire_jit::abi::ThreadContext;
use hotfire_launch::{DeviceEvent, DeviceStream};

/// `cudaStreamNonBlocking`: the only kind there is.
const NON_BLOCKING: u32 = 1;
/// `cudaEventBlockingSync`, which means nothing here, and `cudaEventDisableTiming`, which must be there.
const BLOCKING_SYNC: u32 = 1;
const DISABLE_TIMING: u32 = 2;

fn event(bits: u64) -> Result<DeviceEvent, Status> {
    DeviceEvent::from_bits(bits).ok_or(Status::INVALID_RESOURCE_HANDLE)
}

/// `cudaError_t StreamCreateWithFlags(cudaStream_t* stream, unsigned flags)`
pub(super) unsafe extern "C-unwind" fn stream_create(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (target, flags): (u64, u32) = (arguments.next(), arguments.next());
        let mut created = 0;
        Caller(context).status(result, |grid, _| {
            if flags != NON_BLOCKING || target == 0 {
                return Err(Status::INVALID_VALUE);
            }
            let stream = grid.device.with(|state| state.model.device_stream_create(grid.item()));
            created = stream.to_bits();
            if let Some(checking) = &grid.device.checking {
                checking.grids.lock().named_created(stream);
            }
            Ok(())
        });
        if created != 0 {
            Caller(context).store(target, created);
        }
    }
}

/// `cudaError_t StreamDestroy(cudaStream_t stream)`
pub(super) unsafe extern "C-unwind" fn stream_destroy(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let handle: u64 = Arguments::new(arguments).next();
        Caller(context).status(result, |grid, _| {
            let stream = DeviceStream::from_bits(handle).ok_or(Status::INVALID_RESOURCE_HANDLE)?;
            grid.device.with(|state| state.model.device_stream_destroy(grid.item(), stream)).map_err(refusal)
        });
    }
}

/// `cudaError_t StreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)`
pub(super) unsafe extern "C-unwind" fn stream_wait_event(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (handle, bits, flags): (u64, u64, u32) = (arguments.next(), arguments.next(), arguments.next());
        Caller(context).status(result, |grid, block| {
            if flags != 0 {
                return Err(Status::INVALID_VALUE);
            }
            let (stream, event) = (stream(handle)?, event(bits)?);
            grid.device.with(|state| state.model.device_wait(grid.item(), block, stream, event)).map_err(refusal)
        });
    }
}

/// `cudaError_t EventCreateWithFlags(cudaEvent_t* event, unsigned flags)`
pub(super) unsafe extern "C-unwind" fn event_create(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (target, flags): (u64, u32) = (arguments.next(), arguments.next());
        let mut created = 0;
        Caller(context).status(result, |grid, _| {
            if flags & !BLOCKING_SYNC != DISABLE_TIMING || target == 0 {
                return Err(Status::INVALID_VALUE);
            }
            let event = grid.device.with(|state| state.model.device_event_create(grid.item()));
            created = event.map_err(|_| Status::MEMORY_ALLOCATION)?.to_bits();
            Ok(())
        });
        if created != 0 {
            Caller(context).store(target, created);
        }
    }
}

/// `cudaError_t EventRecord(cudaEvent_t event, cudaStream_t stream)`
pub(super) unsafe extern "C-unwind" fn event_record(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (bits, handle): (u64, u64) = (arguments.next(), arguments.next());
        record(context, result, bits, handle, 0);
    }
}

/// `cudaError_t EventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)`
pub(super) unsafe extern "C-unwind" fn event_record_with_flags(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (bits, handle, flags): (u64, u64, u32) = (arguments.next(), arguments.next(), arguments.next());
        record(context, result, bits, handle, flags);
    }
}

unsafe fn record(context: *mut ThreadContext, result: *mut u8, bits: u64, handle: u64, flags: u32) {
    // SAFETY: called by the two functions above.
    unsafe {
        Caller(context).status(result, |grid, block| {
            if flags != 0 {
                return Err(Status::INVALID_VALUE);
            }
            let (stream, event) = (stream(handle)?, event(bits)?);
            grid.device.with(|state| state.model.device_record(grid.item(), block, stream, event)).map_err(refusal)
        });
    }
}

/// `cudaError_t EventDestroy(cudaEvent_t event)`
pub(super) unsafe extern "C-unwind" fn event_destroy(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let bits: u64 = Arguments::new(arguments).next();
        Caller(context).status(result, |grid, _| {
            let event = event(bits)?;
            grid.device.with(|state| state.model.device_event_destroy(grid.item(), event)).map_err(refusal)
        });
    }
}
