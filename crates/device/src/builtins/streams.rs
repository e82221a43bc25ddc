//! Named streams and events of device code. launch-model.md section 3.2.

use super::arguments::{Arguments, Caller};
use super::launch::{refusal, stream};
use crate::checking::{Object, Who};
use crate::engine::Grid;
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

/// Tells the checker of a handle that was refused; which finding says that it is another grid's.
///
/// # Safety
/// The context is the calling thread's.
pub(super) unsafe fn foreign(context: *mut ThreadContext, grid: &Grid, handle: u64, object: Object) -> Option<usize> {
    let checking = grid.device.checking.as_ref()?;
    // SAFETY: the caller's promise.
    checking.foreign(unsafe { Who::of(context) }, handle, object)
}

/// Tells the checker of a stream and an event that do not go together.
///
/// # Safety
/// As [`foreign`].
unsafe fn note_refusal(context: *mut ThreadContext, grid: &Grid, stream: u64, event: u64, records: bool) {
    let Some(checking) = &grid.device.checking else { return };
    // SAFETY: the caller's promise.
    unsafe {
        if matches!(stream, 3 | 4) {
            checking.special(Who::of(context), stream, records);
        } else if foreign(context, grid, event, Object::Event).is_none() {
            foreign(context, grid, stream, Object::Stream);
        }
    }
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
                checking.handle_made(Object::Stream, created, Who::of(context));
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
            let destroyed = DeviceStream::from_bits(handle).ok_or(Status::INVALID_RESOURCE_HANDLE).and_then(|stream| {
                grid.device.with(|state| state.model.device_stream_destroy(grid.item(), stream)).map_err(refusal)
            });
            destroyed.inspect_err(|_| _ = foreign(context, grid, handle, Object::Stream))
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
            let waits = stream(handle).and_then(|stream| {
                let event = event(bits)?;
                grid.device
                    .with(|state| state.model.device_wait(grid.item(), block, stream, event))
                    .map_err(refusal)?;
                if let Some(checking) = &grid.device.checking {
                    checking.waits(context, stream, event);
                }
                Ok(())
            });
            waits.inspect_err(|_| note_refusal(context, grid, handle, bits, false))
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
            if let Some(checking) = &grid.device.checking {
                checking.handle_made(Object::Event, created, Who::of(context));
            }
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
            let recorded = stream(handle).and_then(|stream| {
                let event = event(bits)?;
                grid.device
                    .with(|state| state.model.device_record(grid.item(), block, stream, event))
                    .map_err(refusal)?;
                if let Some(checking) = &grid.device.checking {
                    checking.recorded(context, stream, event);
                }
                Ok(())
            });
            recorded.inspect_err(|_| note_refusal(context, grid, handle, bits, true))
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
            let destroyed = event(bits).and_then(|event| {
                grid.device.with(|state| state.model.device_event_destroy(grid.item(), event)).map_err(refusal)
            });
            destroyed.inspect_err(|_| _ = foreign(context, grid, bits, Object::Event))
        });
    }
}
