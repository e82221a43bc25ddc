//! What built-in functions may ask and do, given the context of the calling thread.

use super::block::Block;
use super::fiber::{Fiber, Stop};
use super::grid::FaultReport;
use super::{region, thread};
use crate::memory::Memory;
use hotfire_jit::abi::{Fault, ThreadContext};
use hotfire_ptx::ast::Location;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The fiber and the block of a context. The context is the first thing in its fiber.
unsafe fn of(context: *mut ThreadContext) -> (*mut Fiber, *mut Block) {
    let fiber = context.cast::<Fiber>();
    // SAFETY: the context of a running thread lies in its fiber.
    (fiber, unsafe { (*fiber).block })
}

/// The engine's own grid: [`GridCode::owner`](super::GridCode::owner).
///
/// # Safety
/// `context` is the context that generated code passed to the calling function; the same for all functions here.
pub unsafe fn owner(context: *mut ThreadContext) -> *const c_void {
    // SAFETY: the caller's promise.
    unsafe { Block::code(of(context).1).owner }
}

/// Linear index of the thread's block in its grid.
///
/// # Safety
/// As [`owner`].
pub unsafe fn block_index(context: *mut ThreadContext) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { (*of(context).1).index }
}

/// Whether the thread's block has triggered.
///
/// # Safety
/// As [`owner`].
pub unsafe fn has_triggered(context: *mut ThreadContext) -> bool {
    // SAFETY: the caller's promise.
    unsafe { (*of(context).1).triggered }
}

/// The device's memory.
///
/// # Safety
/// As [`owner`]; the reference must not outlive the call from generated code.
pub unsafe fn memory<'a>(context: *mut ThreadContext) -> &'a Memory {
    // SAFETY: the caller's promise; the worker keeps the memory alive.
    unsafe { &*Arc::as_ptr(&(*of(context).1).memory) }
}

/// Whether the caller runs on a device thread's stack.
pub(super) fn on_fiber() -> bool {
    let here = 0u8;
    region::existing().is_some_and(|regions| regions.stacks.contains(&raw const here as u64))
}

/// A call on another stack: what to call, then what it gave.
enum Call<F, R> {
    Function(F),
    Result(std::thread::Result<R>),
    Running,
}

/// The function that makes a call; names the type of a closure.
fn caller<F: FnOnce() -> R, R>(_: &Call<F, R>) -> unsafe extern "C" fn(*mut c_void) {
    make_call::<F, R>
}

unsafe extern "C" fn make_call<F: FnOnce() -> R, R>(call: *mut c_void) {
    // SAFETY: `on_worker_stack` passes its own `Call`.
    let call = unsafe { &mut *call.cast::<Call<F, R>>() };
    if let Call::Function(f) = std::mem::replace(call, Call::Running) {
        *call = Call::Result(catch_unwind(AssertUnwindSafe(f)));
    }
}

/// Runs `f` on the worker's own stack. Everything that needs much stack, takes locks, allocates or might panic belongs
/// there. `f` must not touch memory of the program that was not checked, and must not suspend or end the thread. A panic
/// is reported on stderr and becomes [`Fault::LaunchFailure`].
///
/// # Safety
/// As [`owner`].
pub unsafe fn on_worker_stack<R>(context: *mut ThreadContext, f: impl FnOnce() -> R) -> R {
    if !on_fiber() {
        return f();
    }
    let mut call = Call::Function(f);
    // SAFETY: the caller's promise; `make_call` catches what unwinds.
    unsafe {
        Fiber::call_outside(of(context).0, caller(&call), (&raw mut call).cast());
        match call {
            Call::Result(Ok(value)) => value,
            Call::Result(Err(payload)) => {
                std::mem::forget(payload);
                fault(context, Fault::LaunchFailure, 0)
            }
            Call::Function(_) | Call::Running => std::process::abort(),
        }
    }
}

/// Ends the thread, and with it the grid, with a fault. Frames on the thread's stack are abandoned, not unwound: nothing
/// with a destructor may live there.
///
/// # Safety
/// As [`owner`].
pub unsafe fn fault(context: *mut ThreadContext, fault: Fault, address: u64) -> ! {
    // SAFETY: the caller's promise.
    unsafe { raise(context, fault, address, None) }
}

/// As [`fault`], with the place.
///
/// # Safety
/// As [`owner`].
pub(super) unsafe fn raise(context: *mut ThreadContext, fault: Fault, address: u64, location: Option<Location>) -> ! {
    // SAFETY: the caller's promise.
    unsafe {
        report(context, fault, address, location);
        thread::leave(of(context).0, Stop::Fault)
    }
}

/// Notes a fault of the thread. Async-signal-safe.
///
/// # Safety
/// As [`owner`].
pub(super) unsafe fn report(context: *mut ThreadContext, fault: Fault, address: u64, location: Option<Location>) {
    // SAFETY: the caller's promise.
    unsafe {
        let (_, block) = of(context);
        let (block_at, thread) = ((*block).context.ctaid, (*context).tid);
        (*block).fault = Some(FaultReport { fault, address, block: block_at, thread, location });
    }
}

/// Ends the thread normally, from within any function. Frames are abandoned as by [`fault`].
///
/// # Safety
/// As [`owner`].
pub unsafe fn exit(context: *mut ThreadContext) -> ! {
    // SAFETY: the caller's promise.
    unsafe { thread::exit(of(context).0) }
}

/// Bounds of the thread's local memory.
///
/// # Safety
/// As [`owner`].
pub unsafe fn local(context: *mut ThreadContext) -> std::ops::Range<u64> {
    // SAFETY: the caller's promise.
    unsafe { Fiber::local(of(context).0) }
}

/// How often in a row the thread let others run without having changed in between: its loop only looks.
///
/// # Safety
/// As [`owner`].
pub unsafe fn spins(context: *mut ThreadContext) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { (*of(context).0).spins }
}

/// Lets others run.
///
/// # Safety
/// As [`owner`].
pub unsafe fn yield_now(context: *mut ThreadContext) {
    // SAFETY: the caller's promise.
    unsafe {
        let (fiber, block) = of(context);
        if let Some(observer) = Block::code(block).observer {
            observer.yielded();
        }
        (*block).yielded.push(fiber);
        thread::wait(fiber);
        (*context).look = 0;
    }
}

/// Lets others run, first of all other grids: the block is parked once none of its threads can go on.
///
/// # Safety
/// As [`owner`].
pub unsafe fn give_way(context: *mut ThreadContext) {
    // SAFETY: the caller's promise.
    unsafe {
        (*of(context).1).gives_way = true;
        yield_now(context);
    }
}
