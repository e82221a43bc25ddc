//! One thread's life on its fiber: start, waiting, end.

use super::block::Block;
use super::fiber::{Fiber, Stop};
use super::poll::Polls;
use hotfire_jit::abi::EntryKind;

/// Runs threads that were not started yet until none is left. The body of every fiber.
///
/// # Safety
/// Called on the stack of `fiber`, which works for `block`.
pub unsafe fn run_threads(fiber: *mut Fiber, block: *mut Block) {
    // SAFETY: the worker lent both for this turn; no reference to the block lives across a call of generated code.
    unsafe {
        let context = &raw mut (*fiber).context;
        (*context).block = &raw const (*block).context;
        // A thread that ended in a function left its allocations there.
        Fiber::clear_local(fiber);
        match (*block).entry {
            EntryKind::Thread(entry) => {
                while (*block).next_thread < (*block).threads && !(*block).cancelled() {
                    ((*context).linear, (*context).tid) = (*block).start_next();
                    (*context).last_error = 0;
                    (*context).cycles = 0;
                    ((*fiber).cluster_phase, (*fiber).at_cluster) = (0, false);
                    (*context).segment = (*block).context.segment;
                    if !(*block).checker.is_null() {
                        (*fiber).polls = Polls::NEW;
                    }
                    entry(context);
                    (*block).exited(fiber);
                    // After a suspension the fiber may have come back in another turn, but never for another block.
                }
            }
            EntryKind::Loop(entry) => {
                loop {
                    // Not 0 when an earlier fiber was left by `exit` inside a function.
                    let first = (*block).next_thread;
                    if first < (*block).threads {
                        entry(context, first, (*block).threads - first);
                    }
                    if !(*block).advance() {
                        break;
                    }
                }
                (*block).live = 0;
            }
            EntryKind::Phases(entry, frame) => {
                while (*block).live > 0 {
                    let frames = (*block).frames(frame);
                    while entry(context, frames, (*block).threads) > 0 && !(*block).cancelled() {}
                    if !(*block).advance() {
                        (*block).live = 0;
                    }
                }
            }
            EntryKind::Function(_) => {}
        }
    }
}

/// Ends the calling thread from inside a function.
///
/// # Safety
/// Called on the stack of `fiber`, which runs a thread.
pub unsafe fn exit(fiber: *mut Fiber) -> ! {
    // SAFETY: as `run_threads`.
    unsafe {
        let block = (*fiber).block;
        match (*block).entry {
            EntryKind::Thread(_) => (*block).exited(fiber),
            _ => (*block).next_thread = (*fiber).context.linear + 1,
        }
        leave(fiber, Stop::Exit)
    }
}

/// Leaves the calling thread for good.
///
/// # Safety
/// Called on the stack of `fiber`, which runs a thread.
pub unsafe fn leave(fiber: *mut Fiber, stop: Stop) -> ! {
    // SAFETY: the caller's promise.
    unsafe { Fiber::suspend(fiber, stop) };
    // A thread that ended was resumed: the scheduler is broken, and no frame here can be trusted.
    std::process::abort()
}

/// Lets the calling thread wait until somebody puts it back into the ready queue and the worker comes to it.
///
/// # Safety
/// Called on the stack of `fiber`, which runs a thread and is in a queue or on the block's table for others to find.
pub unsafe fn wait(fiber: *mut Fiber) {
    // SAFETY: as `run_threads`.
    unsafe {
        (*(*fiber).block).know(fiber);
        Fiber::suspend(fiber, Stop::Wait);
    }
}
