//! Faults of generated code: the operating system's signal becomes the end of the CUDA thread, and the process lives.
//!
//! The handler runs on the worker's alternate stack. It tells by the stack pointer whether a device thread ran, notes what
//! happened in its block, and lets the interrupted code go on at [`land`] instead, which leaves the thread for good. Signals that
//! are not a device thread's go to whoever handled them before.

use super::fiber::{Fiber, Stop};
use super::stack::SLACK;
use super::{context, region};
use hotfire_jit::abi::{Fault, ThreadContext};
use std::io;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

const SIGNALS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE];
/// Bytes of a worker's alternate stack.
const ALTERNATE: usize = 64 << 10;

/// What handled each signal before.
static BEFORE: OnceLock<[libc::sigaction; 4]> = OnceLock::new();

/// Prepares the calling thread, and once the process.
///
/// # Errors
/// The operating system's.
pub fn prepare_thread() -> io::Result<()> {
    // Lives as long as the thread, which lives as long as the process.
    let stack = Box::leak(vec![0u8; ALTERNATE].into_boxed_slice());
    let alternate = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: ALTERNATE };
    // SAFETY: plain system calls with valid arguments; the stack is never freed.
    unsafe {
        if libc::sigaltstack(&raw const alternate, std::ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigfillset(set.as_mut_ptr());
        for signal in SIGNALS.into_iter().chain([libc::SIGTRAP]) {
            libc::sigdelset(set.as_mut_ptr(), signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, set.as_ptr(), std::ptr::null_mut());
    }
    BEFORE.get_or_init(|| SIGNALS.map(install));
    Ok(())
}

fn install(signal: i32) -> libc::sigaction {
    // SAFETY: all-zero is a valid `sigaction`; the handler has the signature that SA_SIGINFO asks for.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(signal, &raw const action, &raw mut before);
        before
    }
}

unsafe extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, machine: *mut libc::c_void) {
    // SAFETY: the kernel passes valid pointers.
    unsafe {
        let machine = &mut *machine.cast::<libc::ucontext_t>();
        let registers = &mut machine.uc_mcontext.gregs;
        let stack_pointer = registers[libc::REG_RSP as usize] as u64;
        let stacks = region::existing().map(|regions| &regions.stacks);
        let Some(stacks) = stacks.filter(|stacks| stacks.contains(stack_pointer)) else {
            pass_on(signal);
            return;
        };
        let fiber = stacks.fiber_at(stack_pointer);
        let pc = registers[libc::REG_RIP as usize] as usize;
        let site = hotfire_jit::find(pc);
        let trap = site.as_ref().and_then(|site| site.fault);
        let address = if matches!(signal, libc::SIGSEGV | libc::SIGBUS) { (*info).si_addr() as u64 } else { 0 };
        let fault = match (trap, signal) {
            (Some(fault), _) => fault,
            (None, libc::SIGILL) => Fault::IllegalInstruction,
            (None, libc::SIGFPE) => Fault::LaunchFailure,
            (None, _) => classify(fiber, address),
        };
        let context = &raw mut (*fiber).context;
        context::report(context, fault, address, site.and_then(|site| site.location));
        // All frames are abandoned, so the thread may land on the part of the stack that is kept free.
        let free = (Fiber::stack(fiber).start + SLACK) & !15;
        registers[libc::REG_RSP as usize] = (free - 8) as i64;
        registers[libc::REG_RDI as usize] = context as i64;
        registers[libc::REG_RIP as usize] = land as *const () as i64;
    }
}

/// What touching a closed page means.
unsafe fn classify(fiber: *mut Fiber, address: u64) -> Fault {
    // SAFETY: the fiber runs a thread of a live block.
    let own = unsafe { (*(*fiber).block).window.base };
    let foreign = region::existing().is_some_and(|regions| {
        regions.stacks.contains(address) || (regions.windows.contains(address) && address.wrapping_sub(own) >= 4 << 30)
    });
    if foreign { Fault::InvalidAddressSpace } else { Fault::IllegalAddress }
}

/// Not a device thread's: whoever handled it before handles it when the instruction is tried again.
unsafe fn pass_on(signal: i32) {
    let index = SIGNALS.iter().position(|&known| known == signal);
    if let (Some(index), Some(before)) = (index, BEFORE.get()) {
        // SAFETY: what `sigaction` answered before.
        unsafe { libc::sigaction(signal, &raw const before[index], std::ptr::null_mut()) };
    }
}

/// Where a thread that faulted goes on: it tells the worker, and never comes back.
unsafe extern "C-unwind" fn land(context: *mut ThreadContext) -> ! {
    // SAFETY: the handler passes the context of the thread that was interrupted.
    unsafe { context::end(context, Stop::Fault) }
}
