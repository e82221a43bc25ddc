//! A fiber: a stack with a coroutine that runs one device thread after another.
//!
//! The coroutine never returns. It runs the threads of a block that were not started yet, one by one, until one suspends (the
//! next thread then needs another fiber) or none is left. So a thread that never waits costs a function call, not a switch.

use super::block::Block;
use super::poll::Polls;
use super::spin::Circle;
use super::stack::SLACK;
use super::switch::Switch;
use hotfire_jit::abi::ThreadContext;
use std::ffi::c_void;
use std::ptr;

/// Why a fiber switched back to the worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Stop {
    /// No thread is left to start; the fiber is free.
    Idle = 0,
    /// The thread waits in some queue.
    Wait,
    /// The thread ended inside a function. Its frames are abandoned.
    Exit,
    /// The thread faulted: the block's `fault` says how. Its frames are abandoned.
    Fault,
}

/// Lies at the top of its own stack. `context` comes first: generated code knows the fiber by it.
#[repr(C)]
pub struct Fiber {
    /// The thread that the fiber runs, as generated code sees it.
    pub context: ThreadContext,
    /// The block that the thread belongs to.
    pub block: *mut Block,
    /// Next in the queue that the fiber is in.
    pub next: *mut Fiber,
    /// Operands of the collective or barrier reduction that the thread waits at.
    pub value: u64,
    /// Second operand; for barriers the kind.
    pub operand: u64,
    /// What the collective or reduction gave.
    pub result: u64,
    /// Call site of the `activemask` that the thread is at; 0 when it is at none.
    pub active_site: u64,
    /// How often in a row the thread let others run and had not changed since the time before.
    pub spins: u32,
    /// What it is compared with.
    pub circle: Circle,
    /// What it polls, if the run is checked.
    pub polls: Polls,
    /// The last phase of its cluster's barrier that the thread arrived at.
    pub cluster_phase: u64,
    /// The thread waits at that barrier.
    pub at_cluster: bool,
    /// True once the current thread suspended, so that the block's table knows the fiber.
    pub known: bool,
    /// Size class of the stack.
    pub class: u8,
    low: u64,
    switch: Switch,
}

impl Fiber {
    /// Makes a fiber at `place`, with the stack that starts at `low` and ends at `place`.
    ///
    /// # Safety
    /// The stack and the fiber's place must be open memory that nothing else uses, now or later.
    pub unsafe fn create(place: *mut Fiber, low: u64, class: usize) {
        let context = ThreadContext {
            block: ptr::null(),
            stack_limit: (low + SLACK) as *const u8,
            tid: [0; 3],
            linear: 0,
            last_error: 0,
            zero: 0,
            segment: 0,
            yielder: ptr::null(),
            device: place.cast(),
            site: 0,
            access: 0,
            look: 0,
            cycles: 0,
        };
        let fiber = Fiber {
            context,
            block: ptr::null_mut(),
            next: ptr::null_mut(),
            value: 0,
            operand: 0,
            result: 0,
            active_site: 0,
            spins: 0,
            circle: Circle::NEW,
            polls: Polls::NEW,
            cluster_phase: 0,
            at_cluster: false,
            known: false,
            class: class as u8,
            low,
            // SAFETY: the caller's promise.
            switch: unsafe { switch(place) },
        };
        // SAFETY: the caller's promise.
        unsafe { place.write(fiber) };
    }

    /// What an earlier thread allocated on the stack is free again.
    ///
    /// # Safety
    /// `this` is a fiber whose thread has not begun.
    #[inline(always)]
    pub unsafe fn clear_local(this: *mut Fiber) {
        // SAFETY: the caller's promise.
        unsafe { (*this).context.stack_limit = ((*this).low + SLACK) as *const u8 };
    }

    /// Switches to the fiber until it stops.
    ///
    /// # Safety
    /// `this` is a fiber that is not running, and `block` the live block it works for, not borrowed by anyone.
    #[inline(always)]
    pub unsafe fn resume(this: *mut Fiber, block: *mut Block) -> Stop {
        // SAFETY: the caller's promise; fibers leave with a `Stop`.
        unsafe {
            (*this).block = block;
            match Switch::enter(&raw mut (*this).switch) {
                0 => Stop::Idle,
                1 => Stop::Wait,
                2 => Stop::Exit,
                _ => Stop::Fault,
            }
        }
    }

    /// Switches from the fiber, on which this runs, to the worker. Returns when the worker resumes it.
    ///
    /// # Safety
    /// Called on the stack of fiber `this`.
    #[inline(always)]
    pub unsafe fn suspend(this: *mut Fiber, stop: Stop) {
        // SAFETY: the caller's promise.
        unsafe { Switch::leave(&raw mut (*this).switch, stop as u64) };
    }

    /// Abandons whatever the fiber was at, and makes it idle.
    ///
    /// # Safety
    /// The fiber is not running, and its frames own nothing: generated code's do not, and the device's own functions
    /// suspend only where they hold nothing.
    pub unsafe fn reset(this: *mut Fiber) {
        // SAFETY: the caller's promise.
        unsafe {
            (*this).known = false;
            (*this).active_site = 0;
            (*this).switch = switch(this);
        }
    }

    /// Calls `f(argument)` on the stack of the worker that runs the fiber, on which this runs.
    ///
    /// # Safety
    /// Called on the stack of fiber `this`. `f` does not unwind.
    pub unsafe fn call_outside(this: *mut Fiber, f: unsafe extern "C" fn(*mut c_void), argument: *mut c_void) {
        // SAFETY: the caller's promise.
        unsafe { Switch::call_outside(&raw mut (*this).switch, f, argument) }
    }

    /// The stack of a suspended fiber from the registers that the switch saved on.
    ///
    /// # Safety
    /// `this` is a suspended fiber.
    pub unsafe fn frames<'a>(this: *mut Fiber) -> &'a [u64] {
        // SAFETY: the switch keeps the stack pointer a multiple of 8, and what lies between it and the fiber does not change before
        // the fiber is resumed.
        unsafe {
            let start = (*this).switch.suspended_at();
            std::slice::from_raw_parts(start as *const u64, (this as u64 - start) as usize / 8)
        }
    }

    /// Bounds of the thread's local memory: where its frames may be, and what it allocated below them.
    ///
    /// # Safety
    /// `this` is a fiber.
    pub unsafe fn local(this: *mut Fiber) -> std::ops::Range<u64> {
        // SAFETY: the caller's promise.
        unsafe {
            let limit = (*this).context.stack_limit as u64;
            // What is allocated moves the limit, and lies below the slack.
            let start = if limit == (*this).low + SLACK { limit } else { (*this).low };
            start..this as u64
        }
    }

    /// Bounds of the stack, the fiber's own place excluded.
    ///
    /// # Safety
    /// `this` is a fiber.
    pub unsafe fn stack(this: *mut Fiber) -> std::ops::Range<u64> {
        // SAFETY: `low` never changes.
        unsafe { (*this).low..this as u64 }
    }
}

/// A switch to the start of a fiber.
///
/// # Safety
/// The stack below `fiber` belongs to it and is not in use.
unsafe fn switch(fiber: *mut Fiber) -> Switch {
    // SAFETY: the caller's promise; fibers lie at multiples of 64.
    unsafe { Switch::new(fiber as u64, body, fiber.cast()) }
}

unsafe extern "C" fn body(fiber: *mut c_void) -> ! {
    let fiber = fiber.cast::<Fiber>();
    loop {
        // SAFETY: this runs on this fiber alone, for a block that outlives the turn.
        unsafe {
            super::thread::run_threads(fiber, (*fiber).block);
            Fiber::suspend(fiber, Stop::Idle);
        }
    }
}

/// A first-in first-out queue of fibers, linked through [`Fiber::next`].
#[derive(Debug)]
pub struct Queue {
    head: *mut Fiber,
    tail: *mut Fiber,
    count: u32,
}

impl Queue {
    /// An empty queue.
    pub const fn new() -> Self {
        Self { head: ptr::null_mut(), tail: ptr::null_mut(), count: 0 }
    }

    /// Fibers in the queue.
    pub fn len(&self) -> u32 {
        self.count
    }

    /// Adds a fiber at the end.
    ///
    /// # Safety
    /// `fiber` is a live fiber that is in no queue.
    pub unsafe fn push(&mut self, fiber: *mut Fiber) {
        // SAFETY: `fiber` and the members of the queue are live.
        unsafe {
            (*fiber).next = ptr::null_mut();
            if self.tail.is_null() {
                self.head = fiber;
            } else {
                (*self.tail).next = fiber;
            }
        }
        self.tail = fiber;
        self.count += 1;
    }

    /// Takes the first fiber.
    pub fn pop(&mut self) -> Option<*mut Fiber> {
        let fiber = self.head;
        if fiber.is_null() {
            return None;
        }
        // SAFETY: members of the queue are live.
        self.head = unsafe { (*fiber).next };
        if self.head.is_null() {
            self.tail = ptr::null_mut();
        }
        self.count -= 1;
        Some(fiber)
    }

    /// Moves all of `other` behind the last.
    pub fn append(&mut self, other: &mut Queue) {
        if other.head.is_null() {
            return;
        }
        if self.tail.is_null() {
            self.head = other.head;
        } else {
            // SAFETY: members of the queue are live.
            unsafe { (*self.tail).next = other.head };
        }
        self.tail = other.tail;
        self.count += other.count;
        *other = Queue::new();
    }

    /// The fibers, first to last.
    pub fn iter(&self) -> impl Iterator<Item = *mut Fiber> + use<> {
        let mut at = self.head;
        std::iter::from_fn(move || {
            let fiber = at;
            if fiber.is_null() {
                return None;
            }
            // SAFETY: members of the queue are live.
            at = unsafe { (*fiber).next };
            Some(fiber)
        })
    }
}
