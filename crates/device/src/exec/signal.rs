//! Faults of generated code: the operating system's signal becomes the end of the CUDA thread, and the process lives.
//!
//! The handler runs on the worker's alternate stack. It tells by the stack pointer whether a device thread ran, notes what
//! happened in its block, and lets the interrupted code go on at [`land`] instead, which leaves the thread for good. Faults in memory
//! that host and device share are the checker's ([`crate::checking`]), if there is one. Signals that are neither, and those that
//! somebody sent, go to whoever handled them before; that handler stays behind ours.

use super::chain::{self, FAULTS, Frame};
use super::fiber::{Fiber, Stop};
use super::stack::{SLACK, Stacks};
use super::{context, region, thread};
use crate::checking::host;
use hotfire_jit::abi::{Fault, ThreadContext};
use hotfire_ptx::ast::Location;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;

/// Bytes of an alternate stack beyond what the machine's registers need; handlers of the host program may run on it, too.
const ALTERNATE: usize = 64 << 10;
/// Words of a stack that are searched for the generated code that called what faulted.
const SEARCHED: usize = 256;

/// The signal state of a host thread that runs blocks; dropping it restores what was there before. Not `Send`.
#[derive(Debug)]
pub struct ThreadSignals {
    _stack: Box<[u8]>,
    stack_before: libc::stack_t,
    mask_before: libc::sigset_t,
}

impl ThreadSignals {
    /// Gives the calling thread an alternate stack, blocks signals that are no faults (their handlers could run on a device
    /// thread's small stack), and installs the handlers once in the process.
    ///
    /// # Errors
    /// The operating system's.
    pub fn new() -> io::Result<Self> {
        // SAFETY: plain system calls with valid arguments; the stack outlives its use, which `drop` ends.
        unsafe {
            let size = ALTERNATE + libc::getauxval(libc::AT_MINSIGSTKSZ) as usize;
            let mut stack = vec![0u8; size].into_boxed_slice();
            let alternate = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: size };
            let mut stack_before = MaybeUninit::zeroed().assume_init();
            if libc::sigaltstack(&raw const alternate, &raw mut stack_before) != 0 {
                return Err(io::Error::last_os_error());
            }
            let mut mask = MaybeUninit::zeroed().assume_init();
            libc::sigfillset(&raw mut mask);
            for signal in FAULTS.into_iter().chain([libc::SIGTRAP, libc::SIGABRT]) {
                libc::sigdelset(&raw mut mask, signal);
            }
            let mut mask_before = MaybeUninit::zeroed().assume_init();
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const mask, &raw mut mask_before);
            chain::install(&FAULTS);
            Ok(Self { _stack: stack, stack_before, mask_before })
        }
    }
}

impl Drop for ThreadSignals {
    fn drop(&mut self) {
        // SAFETY: both were answered by the system for this thread.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.mask_before, ptr::null_mut());
            libc::sigaltstack(&raw const self.stack_before, ptr::null_mut());
        }
    }
}

/// Handles a signal, if it is a device thread's or the checker's. False if it is not.
///
/// # Safety
/// Called by the handler, with its arguments.
pub unsafe fn answer(signal: i32, info: *mut libc::siginfo_t, frame: &mut Frame) -> bool {
    // SAFETY: the kernel passes valid pointers.
    unsafe {
        if signal == libc::SIGTRAP {
            return host::trapped(frame);
        }
        if host::fault(signal, &*info, frame) {
            return true;
        }
        let registers = &mut frame.machine.gregs;
        let stack_pointer = registers[libc::REG_RSP as usize] as u64;
        let raised = (*info).si_code > 0;
        let stacks = region::existing().map(|regions| &regions.stacks);
        let Some(stacks) = stacks.filter(|stacks| raised && stacks.contains(stack_pointer)) else { return false };
        let fiber = stacks.fiber_at(stack_pointer);
        let site = hotfire_jit::find(registers[libc::REG_RIP as usize] as usize);
        let trap = site.as_ref().and_then(|site| site.fault);
        let memory = matches!(signal, libc::SIGSEGV | libc::SIGBUS);
        // A processor that raises a general protection fault (an address that is none) does not say which.
        let address = if memory { (*info).si_addr() as u64 } else { 0 };
        let fault = match (trap, signal) {
            (Some(fault), _) => fault,
            (None, libc::SIGILL) => Fault::IllegalInstruction,
            (None, libc::SIGFPE) => Fault::LaunchFailure,
            (None, _) => classify(fiber, address),
        };
        let location = match site {
            Some(site) => site.location,
            None => caller(stack_pointer, fiber, stacks),
        };
        let context = &raw mut (*fiber).context;
        context::report(context, fault, address, location);
        // All frames are abandoned, so the thread may land on the part of the stack that is kept free.
        let free = (Fiber::stack(fiber).start + SLACK) & !15;
        registers[libc::REG_RSP as usize] = (free - 8) as i64;
        registers[libc::REG_RDI as usize] = context as i64;
        registers[libc::REG_RIP as usize] = land as *const () as i64;
        // The direction flag must be clear in a function.
        registers[libc::REG_EFL as usize] &= !0x400;
        true
    }
}

/// What touching a closed page means.
///
/// # Safety
/// The fiber runs a thread of a live block.
unsafe fn classify(fiber: *mut Fiber, address: u64) -> Fault {
    // SAFETY: the caller's promise.
    let own = unsafe { (*(*fiber).block).window.base };
    let foreign = region::existing().is_some_and(|regions| {
        regions.stacks.contains(address) || (regions.windows.contains(address) && address.wrapping_sub(own) >= 4 << 30)
    });
    if foreign { Fault::InvalidAddressSpace } else { Fault::IllegalAddress }
}

/// The place in generated code that called whatever faulted: the first return address on the stack that has one.
///
/// # Safety
/// The stack pointer is that of the fiber's interrupted thread.
unsafe fn caller(stack_pointer: u64, fiber: *mut Fiber, stacks: &Stacks) -> Option<Location> {
    let from = (stack_pointer + 7) & !7;
    let words = ((fiber as u64).saturating_sub(from) as usize / 8).min(SEARCHED);
    if !stacks.contains(from) {
        return None;
    }
    // SAFETY: the words lie between the stack pointer and the stack's end.
    let word = |i| unsafe { (from as *const usize).add(i).read() };
    (0..words).find_map(|i| hotfire_jit::find(word(i).wrapping_sub(1))?.location)
}

/// Where a thread that faulted goes on: it tells the worker, and never comes back.
unsafe extern "C-unwind" fn land(context: *mut ThreadContext) -> ! {
    // SAFETY: the handler passes the context of the thread that was interrupted.
    unsafe { thread::leave(context.cast(), Stop::Fault) }
}
