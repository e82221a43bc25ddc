//! Device launches: a parameter buffer, which takes a slot of the pool, then the launch. launch-model.md sections 3.5 to 3.7.

use super::arguments::{Arguments, Caller, Dim3};
use crate::checking::Who;
use crate::device::PARAMETER_ALIGNMENT;
use crate::engine::{Checked, Grid, Prepared, Shape};
use crate::exec;
use crate::memory::Kind;
use crate::module;
use crate::status::Status;
use hotfire_jit::abi::ThreadContext;
use hotfire_launch::{DeviceLaunchStream, DeviceStream, LaunchError, Work};
use std::sync::Once;
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

/// Takes a slot and a buffer; the address of the buffer.
fn prepare(grid: &Grid, bytes: u64, align: u64, checked: Option<Checked>) -> Result<u64, Status> {
    let memory = grid.device.memory();
    let align = align.max(PARAMETER_ALIGNMENT);
    let buffer = memory.alloc(Kind::Parameters, bytes.max(1), align).ok_or(Status::MEMORY_ALLOCATION)?;
    let prepared = grid.device.with(|state| {
        state.sticky.ok()?;
        let launcher = grid.item();
        state.model.reserve_slot(launcher).map_err(|_| Status::LAUNCH_PENDING_COUNT_EXCEEDED)?;
        grid.prepared.fetch_add(1, Ordering::Relaxed);
        state.prepared.insert(buffer, Prepared { launcher, checked });
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
        let child = Grid::new(device, checked, buffer, state.cancel.clone(), Some(grid));
        if let Some(checking) = &device.checking {
            checking.device_launch(&child, stream, who);
        }
        state.attach_grid(item, child);
        Ok(stream != DeviceLaunchStream::Tail && state.gives_way())
    });
    if let Some(buffer) = unused {
        let _ = memory.free(buffer);
    }
    launched
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
        let shape =
            Shape { grid: arguments.next::<Dim3>(), block: arguments.next::<Dim3>(), dynamic_shared: arguments.next() };
        let mut status = Status::SUCCESS;
        Caller(context).answer(result, |grid, _| {
            let buffer = module::resolve(kernel).ok_or(Status::INVALID_DEVICE_FUNCTION).and_then(|function| {
                let checked = Checked::new(&function, shape, Status::INVALID_CONFIGURATION)?;
                prepare(grid, u64::from(function.parameter_bytes()), 1, Some(checked))
            });
            buffer.unwrap_or_else(|failure| {
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
            gives_way = launch(grid, block, buffer, stream, None, Who::of(context))?;
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
        let shape =
            Shape { grid: arguments.next::<Dim3>(), block: arguments.next::<Dim3>(), dynamic_shared: arguments.next() };
        let stream: u64 = arguments.next();
        let mut gives_way = false;
        Caller(context).status(result, |grid, block| {
            let who = Who::of(context);
            let Some(function) = module::resolve(kernel) else {
                let failure = Some(Err(Status::INVALID_DEVICE_FUNCTION));
                return launch(grid, block, buffer, stream, failure, who).map(drop);
            };
            let mut checked = Checked::new(&function, shape, Status::INVALID_CONFIGURATION);
            let needed = u64::from(function.parameter_bytes());
            let buffer = match buffer {
                // Kernels without parameters need no buffer, but a slot.
                0 if needed == 0 && checked.is_ok() => prepare(grid, 0, 1, None)?,
                _ => buffer,
            };
            if grid.device.memory().find(buffer).is_none_or(|found| found.size < needed) {
                checked = checked.and(Err(Status::INVALID_VALUE));
            }
            gives_way = launch(grid, block, buffer, stream, Some(checked), who)?;
            Ok(())
        });
        if gives_way {
            exec::give_way(context);
        }
    }
}

/// `cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream)`: not yet.
pub(super) unsafe extern "C-unwind" fn graph_launch(
    context: *mut ThreadContext,
    _arguments: *const u8,
    result: *mut u8,
) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        Caller(context).status(result, |_, _| {
            static ONCE: Once = Once::new();
            ONCE.call_once(|| eprintln!("hotfire: device graphs (cudaGraphLaunch in device code) are not implemented"));
            Err(Status::NOT_SUPPORTED)
        });
    }
}
