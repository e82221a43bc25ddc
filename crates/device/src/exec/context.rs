//! What built-in functions may ask and do, given the context of the calling thread.

use crate::memory::Memory;
use hotfire_jit::abi::{Fault, ThreadContext};
use std::ffi::c_void;

/// The engine's own grid: [`GridCode::owner`](super::GridCode::owner).
///
/// # Safety
/// `context` is the context that generated code passed to the calling function; the same for all functions here.
pub unsafe fn owner(context: *mut ThreadContext) -> *const c_void {
    let _ = context;
    unimplemented!()
}

/// Linear index of the thread's block in its grid.
///
/// # Safety
/// As [`owner`].
pub unsafe fn block_index(context: *mut ThreadContext) -> u64 {
    let _ = context;
    unimplemented!()
}

/// The device's memory.
///
/// # Safety
/// As [`owner`]; the reference must not outlive the call from generated code.
pub unsafe fn memory<'a>(context: *mut ThreadContext) -> &'a Memory {
    let _ = context;
    unimplemented!()
}

/// Runs `f` on the worker's own stack. Everything that needs much stack, takes locks, allocates or might panic belongs
/// there. `f` must not touch memory of the program that was not checked, and must not suspend or end the thread. A panic
/// is reported on stderr and becomes [`Fault::LaunchFailure`].
///
/// # Safety
/// As [`owner`].
pub unsafe fn on_worker_stack<R>(context: *mut ThreadContext, f: impl FnOnce() -> R) -> R {
    let _ = context;
    f()
}

/// Ends the thread, and with it the grid, with a fault. Frames on the thread's stack are abandoned, not unwound: nothing
/// with a destructor may live there.
///
/// # Safety
/// As [`owner`].
pub unsafe fn fault(context: *mut ThreadContext, fault: Fault, address: u64) -> ! {
    let _ = (context, fault, address);
    unimplemented!()
}

/// Ends the thread normally, from within any function. Frames are abandoned as by [`fault`].
///
/// # Safety
/// As [`owner`].
pub unsafe fn exit(context: *mut ThreadContext) -> ! {
    let _ = context;
    unimplemented!()
}

/// Lets others run.
///
/// # Safety
/// As [`owner`].
pub unsafe fn yield_now(context: *mut ThreadContext) {
    let _ = context;
}
