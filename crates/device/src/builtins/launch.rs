//! Device launches: a parameter buffer, which takes a slot of the pool, then the launch. launch-model.md sections 3.5 to 3.7.

use super::arguments::{Arguments, Caller, Dim3};
use super::streams::foreign;
use crate::checking::{LaunchCall, Object, Who, params};
use crate::device::PARAMETER_ALIGNMENT;
use crate::engine::{Checked, Grid, Prepared, Shape};
use crate::exec;
use crate::memory::Kind;
use crate::module::{self, Function};
use crate::status::Status;
use hotfire_check::ItemLabel;
use hotfire_jit::abi::ThreadContext;
use hotfire_launch::{DeviceLaunchStream, DeviceStream, LaunchError, Work};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Largest parameter block (PTX ISA, kernel function parameters: 32,764 bytes from sm_70 on).
const MOST_PARAMETER_BYTES: u64 = 32_764;

/// The stream that a handle names on the device. The two per-thread default streams of the host mean the block's NULL stream here.
pub(super) fn stream(handle: u64) -> Result<DeviceLaunchStream, Status> {
    match handle {
        0..=2 => Ok(DeviceLaunchStream::Null),
        3 => Ok(DeviceLaunchStream::Tail),
        4 => Ok(DeviceLaunchStream::FireAndForget),
        bits => DeviceStream::from_bits(bits).map(DeviceLaunchStream::Named).ok_or(Status::INVALID_RESOURCE_HANDLE),
    }
}

/// What the model's refusal is to the program.
pub(super) fn refusal(error: LaunchError) -> Status {
    match error {
        LaunchError::InvalidValue | LaunchError::NoSlot => Status::INVALID_VALUE,
        LaunchError::ForeignHandle { .. } | LaunchError::StaleHandle => Status::INVALID_RESOURCE_HANDLE,
    }
}

/// All bytes of a parameter buffer.
///
/// # Safety
/// Nobody else uses the buffer meanwhile.
unsafe fn contents<'a>(grid: &Grid, buffer: u64) -> &'a mut [u8] {
    let size = grid.device.memory().find(buffer).map_or(0, |found| found.size);
    // SAFETY: the buffer lies in an allocation of that size; the caller answers for the rest.
    unsafe { std::slice::from_raw_parts_mut(buffer as *mut u8, size as usize) }
}

/// Takes a slot and a buffer; the address of the buffer.
fn prepare(grid: &Grid, bytes: u64, align: u64, checked: Option<Checked>) -> Result<u64, Status> {
    let memory = grid.device.memory();
    let align = align.max(PARAMETER_ALIGNMENT);
    let buffer = memory.alloc(Kind::Parameters, bytes.max(1), align).ok_or(Status::MEMORY_ALLOCATION)?;
    if grid.device.checking.is_some() {
        // SAFETY: nobody else knows the buffer yet.
        params::prepare(unsafe { contents(grid, buffer) });
    }
    let prepared = grid.device.with(|state| {
        state.sticky.ok()?;
        let launcher = grid.item();
        state.model.reserve_slot(launcher).map_err(|_| Status::LAUNCH_PENDING_COUNT_EXCEEDED)?;
        grid.prepared.fetch_add(1, Ordering::Relaxed);
        state.prepared.insert(buffer, Prepared { launcher, checked, size: bytes });
        Ok(())
    });
    if let Err(status) = prepared {
        let _ = memory.free(buffer);
        return Err(status);
    }
    Ok(buffer)
}

/// Launches what was prepared; `checked` is what version 1 of the call says only now. True if the thread should let the child
/// come first.
fn launch(
    grid: &Grid,
    block: u64,
    buffer: u64,
    stream: u64,
    checked: Option<Result<Checked, Status>>,
    who: Who,
    context: *mut ThreadContext,
) -> Result<bool, Status> {
    let device = grid.device;
    let memory = device.memory();
    let stream = self::stream(stream);
    let mut unused = None;
    let launched = device.with(|state| {
        let launcher = grid.item();
        if state.prepared.get(&buffer).is_none_or(|prepared| prepared.launcher != launcher) {
            return Err(Status::INVALID_VALUE);
        }
        let prepared = state.prepared.remove(&buffer).expect("looked at above");
        grid.prepared.fetch_sub(1, Ordering::Relaxed);
        unused = Some(buffer);
        let size = prepared.size;
        let checked = match (prepared.checked, checked) {
            (Some(checked), _) | (None, Some(Ok(checked))) => Ok(checked),
            (None, Some(Err(status))) => Err(status),
            (None, None) => Err(Status::INVALID_VALUE),
        };
        let (checked, stream) = match (checked, stream, state.sticky.ok()) {
            (Ok(checked), Ok(stream), Ok(())) => (checked, stream),
            (Err(status), ..) | (_, Err(status), _) | (_, _, Err(status)) => {
                state.model.release_slot();
                return Err(status);
            }
        };
        let item = state.model.launch(launcher, block, stream, Work::Grid).map_err(refusal)?;
        unused = None;
        // SAFETY: the launching thread filled the buffer and has given it away.
        let blamed = device
            .checking
            .as_ref()
            .and_then(|checking| unsafe { checking.parameters(who, &checked.function, contents(grid, buffer), size) });
        let polls = checked.kernel.polls;
        let child = Grid::new(device, checked, buffer, state.cancel.clone(), Some(grid), None);
        if let Some(checking) = &device.checking {
            checking.device_launch(&child, stream, who);
            // SAFETY: generated code called.
            unsafe { checking.child_launched(context, &child, who) };
            if let Some(finding) = blamed {
                checking.blame(child.code.gridid, finding);
            }
            // SAFETY: the context is that of the calling thread.
            if let Some((id, time)) = unsafe { checking.launched(context, stream, ItemLabel::Grid(child.code.gridid)) }
            {
                child.set_id(id);
                state.identify(item, id);
                // SAFETY: as above.
                unsafe { (*context).segment = time };
            }
        }
        state.attach_grid(item, child);
        Ok(stream != DeviceLaunchStream::Tail && state.gives_way(polls))
    });
    if let Some(buffer) = unused {
        let _ = memory.free(buffer);
    }
    launched
}

/// Tells the checker of a launch that failed.
fn note_failure(
    grid: &Grid,
    who: Who,
    call: LaunchCall,
    child: Option<&Arc<Function>>,
    shape: Option<Shape>,
    status: Status,
) {
    // Once the context is lost, so is everything.
    if let Some(checking) = grid.device.checking.as_ref().filter(|_| grid.device.sticky().is_success()) {
        if matches!(status, Status::LAUNCH_PENDING_COUNT_EXCEEDED | Status::MEMORY_ALLOCATION) {
            checking.outcome_lost();
        }
        checking.launch_failed(who, call, child, shape, status);
    }
}

/// `void* GetParameterBufferV2(void* kernel, dim3 grid, dim3 block, unsigned shared)`
pub(super) unsafe extern "C-unwind" fn get_parameter_buffer_v2(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let kernel: u64 = arguments.next();
        let shape = Shape {
            grid: arguments.next::<Dim3>(),
            block: arguments.next::<Dim3>(),
            dynamic_shared: arguments.next(),
            cluster: None,
        };
        let mut status = Status::SUCCESS;
        Caller(context).answer(result, |grid, _| {
            let function = module::resolve(kernel);
            let buffer = function.as_ref().ok_or(Status::INVALID_DEVICE_FUNCTION).and_then(|function| {
                let checked = Checked::new(function, shape, Status::INVALID_CONFIGURATION)?;
                prepare(grid, u64::from(function.parameter_bytes()), 1, Some(checked))
            });
            buffer.unwrap_or_else(|failure| {
                note_failure(grid, Who::of(context), LaunchCall::Buffer, function.as_ref(), Some(shape), failure);
                status = failure;
                0
            })
        });
        Caller(context).remember(status);
    }
}

/// `void* GetParameterBuffer(size_t alignment, size_t size)`
pub(super) unsafe extern "C-unwind" fn get_parameter_buffer(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (align, size): (u64, u64) = (arguments.next(), arguments.next());
        let mut status = Status::SUCCESS;
        Caller(context).answer(result, |grid, _| {
            let legal = size <= MOST_PARAMETER_BYTES && align <= 4096 && (align == 0 || align.is_power_of_two());
            let buffer = if legal { prepare(grid, size, align, None) } else { Err(Status::INVALID_VALUE) };
            buffer.unwrap_or_else(|failure| {
                note_failure(grid, Who::of(context), LaunchCall::Buffer, None, None, failure);
                status = failure;
                0
            })
        });
        Caller(context).remember(status);
    }
}

/// `cudaError_t LaunchDeviceV2(void* buffer, cudaStream_t stream)`
pub(super) unsafe extern "C-unwind" fn launch_device_v2(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (buffer, stream): (u64, u64) = (arguments.next(), arguments.next());
        let mut gives_way = false;
        Caller(context).status(result, |grid, block| {
            let who = Who::of(context);
            gives_way = launch(grid, block, buffer, stream, None, who, context).inspect_err(|&status| {
                if foreign(context, grid, stream, Object::Stream).is_none() {
                    note_failure(grid, who, LaunchCall::Launch, None, None, status);
                }
            })?;
            Ok(())
        });
        if gives_way {
            exec::give_way(context);
        }
    }
}

/// `cudaError_t LaunchDevice(void* kernel, void* buffer, dim3 grid, dim3 block, unsigned shared, cudaStream_t stream)`
pub(super) unsafe extern "C-unwind" fn launch_device(
    context: *mut ThreadContext,
    arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (kernel, buffer): (u64, u64) = (arguments.next(), arguments.next());
        let shape = Shape {
            grid: arguments.next::<Dim3>(),
            block: arguments.next::<Dim3>(),
            dynamic_shared: arguments.next(),
            cluster: None,
        };
        let stream: u64 = arguments.next();
        let mut gives_way = false;
        Caller(context).status(result, |grid, block| {
            let who = Who::of(context);
            let Some(function) = module::resolve(kernel) else {
                let failed = Err(Status::INVALID_DEVICE_FUNCTION);
                return launch(grid, block, buffer, stream, Some(failed), who, context).map(drop).inspect_err(
                    |&status| {
                        note_failure(grid, who, LaunchCall::Launch, None, Some(shape), status);
                    },
                );
            };
            let note = |&status: &Status| {
                if foreign(context, grid, stream, Object::Stream).is_none() {
                    note_failure(grid, who, LaunchCall::Launch, Some(&function), Some(shape), status);
                }
            };
            let mut checked = Checked::new(&function, shape, Status::INVALID_CONFIGURATION);
            let needed = u64::from(function.parameter_bytes());
            let buffer = match buffer {
                // Kernels without parameters need no buffer, but a slot.
                0 if needed == 0 && checked.is_ok() => prepare(grid, 0, 1, None).inspect_err(note)?,
                _ => buffer,
            };
            if grid.device.memory().find(buffer).is_none_or(|found| found.size < needed) {
                checked = checked.and(Err(Status::INVALID_VALUE));
            }
            // As an H200 answers (litmus/calls.h200.txt): the special streams came with the second version.
            if let Ok(DeviceLaunchStream::FireAndForget | DeviceLaunchStream::Tail) = self::stream(stream) {
                checked = checked.and(Err(Status::INVALID_VALUE));
            }
            gives_way = launch(grid, block, buffer, stream, Some(checked), who, context).inspect_err(note)?;
            Ok(())
        });
        if gives_way {
            exec::give_way(context);
        }
    }
}
