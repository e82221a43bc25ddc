//! Programmatic dependent launch inside a block (launch-model 4): `griddepcontrol.launch_dependents` and `.wait`.
//!
//! A block has triggered once one of its threads has, or when it exits; when all blocks of the grid have, whoever is last tells the
//! engine. In the last block threads that trigger stand still until no other thread of the block can go on: then the dependents may start
//! first, whatever comes behind the trigger. A wait holds its thread, and no other, until all that the grid depends on is complete; a block of which nobody else can go on
//! is parked, and rests until the engine says so.

use super::block::Block;
use super::context;
use super::fiber::Fiber;
use super::thread;
use crate::checking;
use hotfire_jit::abi::ThreadContext;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What a grid has to do with the one in front of it, and with the one behind.
#[derive(Debug)]
pub struct Dependency {
    /// All that the grid depends on is complete.
    independent: AtomicBool,
    /// Blocks that have neither triggered nor exited.
    untriggered: AtomicU64,
    /// Some block has triggered before it exited.
    explicit: AtomicBool,
    /// Whether threads of the last block stand still at the trigger.
    pauses: AtomicBool,
    /// Called when all blocks have triggered or exited, if one triggered; true if the calling block should let others run first.
    /// On the worker's stack.
    all_triggered: fn(owner: *const c_void) -> bool,
}

impl Default for Dependency {
    fn default() -> Self {
        Self::new(u64::MAX, |_| false)
    }
}

impl Dependency {
    /// Of a grid of so many blocks.
    pub fn new(blocks: u64, all_triggered: fn(*const c_void) -> bool) -> Self {
        Self {
            independent: AtomicBool::new(true),
            untriggered: AtomicU64::new(blocks),
            explicit: AtomicBool::new(false),
            pauses: AtomicBool::new(false),
            all_triggered,
        }
    }

    /// Whether nothing is left for the grid to wait for.
    pub fn is_independent(&self) -> bool {
        self.independent.load(Ordering::Acquire)
    }

    /// Says so. What it waits for is set before its first block runs.
    pub fn set_independent(&self, independent: bool) {
        self.independent.store(independent, Ordering::Release);
    }

    /// Somebody may start when all blocks have triggered, and should see what they do afterwards undone.
    pub fn set_pauses(&self) {
        self.pauses.store(true, Ordering::Relaxed);
    }

    /// Whether a block has triggered before it exited.
    pub fn is_explicit(&self) -> bool {
        self.explicit.load(Ordering::Acquire)
    }

    /// One block more has triggered or exited; true if it was the last.
    fn count(&self) -> bool {
        self.untriggered.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

impl Block {
    /// The block is over, which counts as a trigger.
    pub fn trigger_at_exit(&mut self) {
        // SAFETY: the worker drives the block, which was set.
        let code = unsafe { Self::code(self) };
        if !std::mem::replace(&mut self.triggered, true) && code.dependency.count() && code.dependency.is_explicit() {
            (code.dependency.all_triggered)(code.owner);
        }
    }

    /// Lets the threads go on that stand still at a trigger, now that nobody else can; false if there are none. The block is parked first
    /// if what may start now should come first.
    pub fn go_on(&mut self) -> bool {
        if self.paused.len() == 0 {
            return false;
        }
        self.ready.append(&mut self.paused);
        // SAFETY: as above.
        let code = unsafe { Self::code(self) };
        if !std::mem::replace(&mut self.triggered, true) && code.dependency.count() {
            self.pauses = (code.dependency.all_triggered)(code.owner);
            self.unchanged &= !self.pauses;
        }
        true
    }

    /// Lets the threads go on that wait for other grids, if they may; false if there are none.
    pub fn depend_no_more(&mut self) -> bool {
        if self.depending.len() == 0 {
            return false;
        }
        // SAFETY: as above.
        let over = unsafe { Self::code(self) }.dependency.is_independent();
        if over {
            self.ready.append(&mut self.depending);
        }
        over
    }
}

/// `griddepcontrol`: `wait` (0) or `launch_dependents` (1).
pub unsafe extern "C-unwind" fn grid_dependency(context: *mut ThreadContext, which: u32, site: u32) {
    // SAFETY: called by generated code; no reference to the block is held across a switch.
    unsafe {
        let fiber = context.cast::<Fiber>();
        let block = (*fiber).block;
        if which == 0 {
            wait(context, fiber, block, site);
        } else {
            trigger(context, fiber, block);
        }
    }
}

unsafe fn wait(context: *mut ThreadContext, fiber: *mut Fiber, block: *mut Block, site: u32) {
    // SAFETY: as above.
    unsafe {
        if !(*block).checker.is_null() {
            context::on_worker_stack(context, || checking::dependency_reached(context, site));
        }
        let cycles = (*context).cycles;
        (*block).wait_at = Some((*block).wait_at.map_or(cycles, |at| at.min(cycles)));
        while !Block::code(block).dependency.is_independent() {
            (*block).depending.push(fiber);
            thread::wait(fiber);
        }
        if !(*block).checker.is_null() {
            context::on_worker_stack(context, || checking::dependency_over(context));
        }
    }
}

unsafe fn trigger(context: *mut ThreadContext, fiber: *mut Fiber, block: *mut Block) {
    // SAFETY: as above.
    unsafe {
        if !(*block).checker.is_null() {
            context::on_worker_stack(context, || checking::triggered(context));
        }
        let cycles = (*context).cycles;
        (*block).trigger_at = Some((*block).trigger_at.map_or(cycles, |at| at.min(cycles)));
        if (*block).triggered {
            return;
        }
        let code = Block::code(block);
        let dependency = &code.dependency;
        dependency.explicit.store(true, Ordering::Release);
        if dependency.pauses.load(Ordering::Relaxed) && dependency.untriggered.load(Ordering::Relaxed) == 1 {
            (*block).paused.push(fiber);
            thread::wait(fiber);
            return;
        }
        (*block).triggered = true;
        if dependency.count() {
            context::on_worker_stack(context, || (dependency.all_triggered)(code.owner));
        }
    }
}
