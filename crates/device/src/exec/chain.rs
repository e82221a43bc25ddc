//! The process's handlers of signals that code can raise by itself, and whoever handled them before or wants to later.
//!
//! Ours comes first. What it does not answer for goes to the handler that was there before, as if it alone had been installed: same
//! arguments, same signal mask. A handler that the program installs later takes our place until [`install`] is called again; it
//! may then call ours as its own predecessor, and must get the first predecessor from it, not itself.

use super::signal;
use parking_lot::Mutex;
use std::arch::naked_asm;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The signals.
const SIGNALS: [i32; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP];
/// Those that device threads raise.
pub const FAULTS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE];
/// Those that a watch over memory needs.
pub const TRAPS: [i32; 2] = [libc::SIGSEGV, libc::SIGTRAP];

/// What the kernel leaves on the stack for a handler. The C library's type of that name is larger: its signal mask has room for
/// signals that do not exist, and another record lies there.
#[repr(C)]
pub struct Frame {
    flags: u64,
    link: *mut libc::c_void,
    stack: libc::stack_t,
    /// Registers.
    pub machine: libc::mcontext_t,
    /// The interrupted code's signal mask, signal n as bit n - 1.
    pub mask: u64,
}

/// Handlers of one signal.
struct Handlers {
    /// Before ours was first installed, and most lately.
    first: AtomicPtr<libc::sigaction>,
    latest: AtomicPtr<libc::sigaction>,
}

static BEFORE: [Handlers; 5] =
    [const { Handlers { first: AtomicPtr::new(ptr::null_mut()), latest: AtomicPtr::new(ptr::null_mut()) } }; 5];

/// Makes ours the handler of each signal, if it is not.
pub fn install(signals: &[i32]) {
    static CHANGE: Mutex<()> = Mutex::new(());
    for (signal, handlers) in SIGNALS.iter().zip(&BEFORE).filter(|(signal, _)| signals.contains(signal)) {
        let ours = enter as *const () as usize;
        // SAFETY: all-zero is a valid `sigaction`; the handler has the signature that SA_SIGINFO asks for.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(*signal, ptr::null(), &raw mut before);
            if before.sa_sigaction == ours {
                continue;
            }
            // Whoever is at it already, perhaps this thread further out, does the same.
            let Some(_change) = CHANGE.try_lock() else { return };
            // Known before ours is there: a fault may come at once.
            let kept = Box::into_raw(Box::new(before));
            handlers.latest.store(kept, Ordering::Release);
            let _ = handlers.first.compare_exchange(ptr::null_mut(), kept, Ordering::AcqRel, Ordering::Relaxed);
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = ours;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            // Nothing comes in between: other handlers could touch what is being worked on.
            libc::sigfillset(&raw mut action.sa_mask);
            libc::sigaction(*signal, &raw const action, ptr::null_mut());
        }
    }
}

/// The handler. Passes on where its stack began: a call by the kernel has the frame there.
#[unsafe(naked)]
unsafe extern "C" fn enter(signal: i32, info: *mut libc::siginfo_t, frame: *mut libc::c_void) {
    naked_asm!("mov rcx, rsp", "jmp {handle}", handle = sym handle)
}

unsafe extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, frame: *mut Frame, stack: u64) {
    // The return address, then the frame.
    let by_kernel = stack + 8 == frame as u64;
    // SAFETY: the kernel's arguments, perhaps passed on by another handler.
    unsafe {
        if !by_kernel || !signal::answer(signal, info, &mut *frame) {
            pass_on(signal, info, frame, by_kernel);
        }
    }
}

/// Who handled the signal before handles it now.
///
/// # Safety
/// Called by the handler, with its arguments.
unsafe fn pass_on(signal: i32, info: *mut libc::siginfo_t, frame: *mut Frame, by_kernel: bool) {
    let handlers = SIGNALS.iter().position(|&known| known == signal).map(|index| &BEFORE[index]);
    let before = handlers.map_or(ptr::null_mut(), |handlers| {
        if by_kernel { &handlers.latest } else { &handlers.first }.load(Ordering::Acquire)
    });
    // SAFETY: the caller's promise; the handler that is called has the signature that its flags say.
    unsafe {
        let sent = (*info).si_code <= 0;
        let before = before.as_ref();
        match before.map_or(libc::SIG_DFL, |before| before.sa_sigaction) {
            libc::SIG_IGN if sent => {}
            libc::SIG_DFL | libc::SIG_IGN => {
                let mut default: libc::sigaction = std::mem::zeroed();
                default.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &raw const default, ptr::null_mut());
                // A fault comes again when the instruction does; what was sent, or is a trap behind an instruction, must be sent again.
                if sent || signal == libc::SIGTRAP {
                    libc::raise(signal);
                }
            }
            handler => {
                let Some(before) = before else { return };
                let own = if before.sa_flags & libc::SA_NODEFER == 0 { 1 << (signal - 1) } else { 0 };
                let wanted = (&raw const before.sa_mask).cast::<u64>().read();
                // The return from ours restores the interrupted code's.
                let mask = set_of((*frame).mask | wanted | own);
                libc::pthread_sigmask(libc::SIG_SETMASK, &raw const mask, ptr::null_mut());
                if before.sa_flags & libc::SA_SIGINFO != 0 {
                    type Handler = unsafe extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);
                    std::mem::transmute::<usize, Handler>(handler)(signal, info, frame.cast());
                } else {
                    std::mem::transmute::<usize, unsafe extern "C" fn(i32)>(handler)(signal);
                }
            }
        }
    }
}

/// Bits as a signal set.
fn set_of(bits: u64) -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: a set is at least this large, and its first word holds the signals that there are.
    unsafe {
        set.as_mut_ptr().cast::<u64>().write(bits);
        set.assume_init()
    }
}
