//! Copies and sets by device code: operations of the stream that they are launched into. launch-model.md sections 3.2 and 3.4.

use super::arguments::{Arguments, Caller};
use super::launch::{refusal, stream};
use super::streams::foreign;
use crate::checking::{Object, Who};
use crate::copy::{Copy3d, Fill3d};
use crate::engine::{Grid, Operation};
use crate::status::Status;
use hotfire_check::Action;
use hotfire_jit::abi::ThreadContext;
use hotfire_launch::Work;

/// `cudaPitchedPtr`
#[derive(Clone, Copy)]
#[repr(C)]
struct PitchedPointer {
    pointer: u64,
    pitch: u64,
    width: u64,
    rows: u64,
}

/// `cudaMemcpy3DParms`
#[derive(Clone, Copy)]
#[repr(C)]
struct Copy3dParameters {
    source_array: u64,
    source_position: [u64; 3],
    source: PitchedPointer,
    destination_array: u64,
    destination_position: [u64; 3],
    destination: PitchedPointer,
    extent: [u64; 3],
    direction: u32,
}

fn submit(
    grid: &Grid,
    block: u64,
    context: *mut ThreadContext,
    handle: u64,
    operation: Operation,
) -> Result<(), Status> {
    let stream = stream(handle)?;
    grid.device.with(|state| {
        state.sticky.ok()?;
        let item = state.model.launch(grid.item(), block, stream, Work::Operation).map_err(refusal)?;
        if let Some(checking) = &grid.device.checking {
            let call = if matches!(operation, Operation::Fill(_)) { "cudaMemsetAsync" } else { "cudaMemcpyAsync" };
            // SAFETY: the context is that of the calling thread.
            unsafe { checking.launched_operation(state, item, context, stream, call) };
        }
        state.attach_operation(item, operation);
        Ok(())
    })
}

/// Tells the checker of operands that no other grid can see, and of a stream that is another grid's.
///
/// # Safety
/// The context is the calling thread's.
unsafe fn note(context: *mut ThreadContext, grid: &Grid, handle: u64, call: &str, operands: &[(u64, u64, Action)]) {
    let Some(checking) = &grid.device.checking else { return };
    // SAFETY: the caller's promise.
    unsafe {
        let who = Who::of(context);
        operands.iter().for_each(|&(address, size, action)| checking.private_operand(who, call, address, size, action));
        foreign(context, grid, handle, Object::Stream);
    }
}

/// # Safety
/// The context is the calling thread's.
unsafe fn copy(context: *mut ThreadContext, grid: &Grid, block: u64, handle: u64, copy: Copy3d) -> Result<(), Status> {
    if copy.width == 0 || copy.height == 0 || copy.depth == 0 {
        return stream(handle).map(drop);
    }
    let size = copy.width;
    let operands = [(copy.source, size, Action::CopyFrom), (copy.destination, size, Action::CopyTo)];
    let checked = grid.device.check_device_copy(&copy);
    // SAFETY: the caller's promise.
    checked
        .and_then(|()| submit(grid, block, context, handle, Operation::Copy(copy)))
        .inspect_err(|_| unsafe { note(context, grid, handle, "cudaMemcpyAsync", &operands) })
}

/// # Safety
/// The context is the calling thread's.
unsafe fn fill(context: *mut ThreadContext, grid: &Grid, block: u64, handle: u64, fill: Fill3d) -> Result<(), Status> {
    if fill.width == 0 || fill.height == 0 || fill.depth == 0 {
        return stream(handle).map(drop);
    }
    let operands = [(fill.destination, fill.width, Action::Set)];
    let checked = grid.device.check_device_fill(&fill);
    // SAFETY: the caller's promise.
    checked
        .and_then(|()| submit(grid, block, context, handle, Operation::Fill(fill)))
        .inspect_err(|_| unsafe { note(context, grid, handle, "cudaMemsetAsync", &operands) })
}

/// The address of a position in pitched memory.
fn at(start: PitchedPointer, position: [u64; 3]) -> Result<u64, Status> {
    let row = position[2].checked_mul(start.rows).and_then(|row| row.checked_add(position[1]));
    let offset = row.and_then(|row| row.checked_mul(start.pitch)).and_then(|offset| offset.checked_add(position[0]));
    offset.and_then(|offset| start.pointer.checked_add(offset)).ok_or(Status::INVALID_VALUE)
}

/// `cudaError_t MemcpyAsync(void* to, const void* from, size_t count, cudaMemcpyKind kind, cudaStream_t stream)`
pub(super) unsafe extern "C-unwind" fn memcpy(context: *mut ThreadContext, arguments: *const u8, result: *mut u8) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (destination, source, width): (u64, u64, u64) = (arguments.next(), arguments.next(), arguments.next());
        let (_kind, handle): (u32, u64) = (arguments.next(), arguments.next());
        let shape = Copy3d::linear(destination, source, width);
        Caller(context).status(result, |grid, block| copy(context, grid, block, handle, shape));
    }
}

/// `cudaError_t Memcpy2DAsync(void* to, size_t pitch, const void* from, size_t pitch, size_t width, size_t height, kind, stream)`
pub(super) unsafe extern "C-unwind" fn memcpy_2d(context: *mut ThreadContext, arguments: *const u8, result: *mut u8) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (destination, destination_pitch): (u64, u64) = (arguments.next(), arguments.next());
        let (source, source_pitch): (u64, u64) = (arguments.next(), arguments.next());
        let (width, height): (u64, u64) = (arguments.next(), arguments.next());
        let (_kind, handle): (u32, u64) = (arguments.next(), arguments.next());
        let shape = Copy3d {
            destination,
            destination_pitch,
            destination_rows: height,
            source,
            source_pitch,
            source_rows: height,
            width,
            height,
            depth: 1,
        };
        Caller(context).status(result, |grid, block| copy(context, grid, block, handle, shape));
    }
}

/// `cudaError_t Memcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream)`
pub(super) unsafe extern "C-unwind" fn memcpy_3d(context: *mut ThreadContext, arguments: *const u8, result: *mut u8) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (address, handle): (u64, u64) = (arguments.next(), arguments.next());
        let parameters: Copy3dParameters = Caller(context).load(address);
        Caller(context).status(result, |grid, block| {
            if parameters.source_array != 0 || parameters.destination_array != 0 {
                return Err(Status::NOT_SUPPORTED);
            }
            let [width, height, depth] = parameters.extent;
            let shape = Copy3d {
                destination: at(parameters.destination, parameters.destination_position)?,
                destination_pitch: parameters.destination.pitch,
                destination_rows: parameters.destination.rows,
                source: at(parameters.source, parameters.source_position)?,
                source_pitch: parameters.source.pitch,
                source_rows: parameters.source.rows,
                width,
                height,
                depth,
            };
            copy(context, grid, block, handle, shape)
        });
    }
}

/// `cudaError_t MemsetAsync(void* to, int value, size_t count, cudaStream_t stream)`
pub(super) unsafe extern "C-unwind" fn memset(context: *mut ThreadContext, arguments: *const u8, result: *mut u8) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (destination, value, width): (u64, u32, u64) = (arguments.next(), arguments.next(), arguments.next());
        let handle: u64 = arguments.next();
        let shape = Fill3d { destination, pitch: width, rows: 1, value, element: 1, width, height: 1, depth: 1 };
        Caller(context).status(result, |grid, block| fill(context, grid, block, handle, shape));
    }
}

/// `cudaError_t Memset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)`
pub(super) unsafe extern "C-unwind" fn memset_2d(context: *mut ThreadContext, arguments: *const u8, result: *mut u8) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (destination, pitch, value): (u64, u64, u32) = (arguments.next(), arguments.next(), arguments.next());
        let (width, height, handle): (u64, u64, u64) = (arguments.next(), arguments.next(), arguments.next());
        let shape = Fill3d { destination, pitch, rows: height, value, element: 1, width, height, depth: 1 };
        Caller(context).status(result, |grid, block| fill(context, grid, block, handle, shape));
    }
}

/// `cudaError_t Memset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream)`
pub(super) unsafe extern "C-unwind" fn memset_3d(context: *mut ThreadContext, arguments: *const u8, result: *mut u8) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let target: PitchedPointer = arguments.next();
        let (value, extent, handle): (u32, [u64; 3], u64) = (arguments.next(), arguments.next(), arguments.next());
        let [width, height, depth] = extent;
        let (destination, pitch, rows) = (target.pointer, target.pitch, target.rows);
        let shape = Fill3d { destination, pitch, rows, value, element: 1, width, height, depth };
        Caller(context).status(result, |grid, block| fill(context, grid, block, handle, shape));
    }
}

const _: () = assert!(size_of::<Copy3dParameters>() == 160 && size_of::<PitchedPointer>() == 32);
