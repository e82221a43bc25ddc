//! What a trap works with: a stack of its own, since the program's handlers' stacks are small, and memory for the decoder, since
//! nothing may be allocated there. One for each thread that is in a trap.

use super::decode::{self, Accesses};
use super::stack::Trace;
use crate::memory::map::Reservation;
use iced_x86::InstructionInfoFactory;
use std::arch::naked_asm;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Threads that may be in traps at the same time; others wait.
const SLOTS: usize = 32;
/// Bytes of a stack.
const STACK: u64 = 256 << 10;

/// The memory of one trap.
pub struct Scratch {
    pub factory: InstructionInfoFactory,
    pub accesses: Accesses,
    pub trace: Trace,
}

struct Slot {
    taken: AtomicBool,
    scratch: UnsafeCell<Scratch>,
}

// SAFETY: whoever takes a slot has it alone.
unsafe impl Sync for Slot {}

struct Pool {
    stacks: Reservation,
    slots: Vec<Slot>,
}

static POOL: OnceLock<Option<Pool>> = OnceLock::new();

/// Makes the pool. Before the first trap.
pub fn prepare() {
    POOL.get_or_init(|| {
        let stacks = Reservation::new(0, SLOTS as u64 * STACK, crate::memory::map::PAGE).ok()?;
        // The lowest page of each stays closed.
        let page = crate::memory::map::PAGE;
        for slot in 0..SLOTS as u64 {
            stacks.open(stacks.base() + slot * STACK + page, STACK - page).ok()?;
        }
        let slots = (0..SLOTS).map(|_| {
            let mut factory = InstructionInfoFactory::new();
            decode::prepare(&mut factory);
            let scratch = Scratch { factory, accesses: Accesses::NONE, trace: Trace::NONE };
            Slot { taken: AtomicBool::new(false), scratch: UnsafeCell::new(scratch) }
        });
        Some(Pool { slots: slots.collect(), stacks })
    });
}

/// Calls `action` on a stack of its own. `None` if there is no pool.
pub fn with<R>(action: impl FnOnce(&mut Scratch) -> R) -> Option<R> {
    let pool = POOL.get()?.as_ref()?;
    let index = loop {
        let free = |slot: &Slot| !slot.taken.swap(true, Ordering::Acquire);
        match pool.slots.iter().position(free) {
            Some(index) => break index,
            // SAFETY: no preconditions.
            None => unsafe { libc::sched_yield() },
        };
    };
    let slot = &pool.slots[index];
    let mut call = Call { action: Some(action), scratch: slot.scratch.get(), result: None };
    let top = pool.stacks.base() + (index as u64 + 1) * STACK;
    // SAFETY: the slot's stack and scratch are this call's alone; `run` gets the call it was made for.
    unsafe { on_stack((&raw mut call).cast(), runner(&call), top) };
    slot.taken.store(false, Ordering::Release);
    call.result
}

struct Call<F, R> {
    action: Option<F>,
    scratch: *mut Scratch,
    result: Option<R>,
}

/// What runs a call.
fn runner<F: FnOnce(&mut Scratch) -> R, R>(_: &Call<F, R>) -> unsafe extern "C" fn(*mut c_void) {
    run::<F, R>
}

/// A panic in a trap ends the process: it cannot leave a signal handler.
unsafe extern "C" fn run<F: FnOnce(&mut Scratch) -> R, R>(call: *mut c_void) {
    // SAFETY: `with` passes its own call, and the slot's scratch.
    unsafe {
        let call = &mut *call.cast::<Call<F, R>>();
        if let Some(action) = call.action.take() {
            call.result = Some(action(&mut *call.scratch));
        }
    }
}

/// Calls `function(argument)` on the stack that ends at `top`. A debugger, and whoever walks the stack, sees through it.
#[unsafe(naked)]
unsafe extern "C" fn on_stack(argument: *mut c_void, function: unsafe extern "C" fn(*mut c_void), top: u64) {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rsp, rdx",
        "call rsi",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
    )
}
