//! A lock that a signal handler may take: it spins, and its holder takes no signals meanwhile.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Default)]
pub struct SignalLock<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the lock gives the value to one thread at a time.
unsafe impl<T: Send> Sync for SignalLock<T> {}

/// The lock is free again even if its holder panics.
struct Taken<'a>(&'a AtomicBool);

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl<T> SignalLock<T> {
    /// For ordinary code.
    pub fn with<R>(&self, action: impl FnOnce(&mut T) -> R) -> R {
        let before = block_all();
        let result = self.with_blocked(action);
        restore(&before);
        result
    }

    /// For a handler, or other code that takes no signals.
    pub fn with_blocked<R>(&self, action: impl FnOnce(&mut T) -> R) -> R {
        let mut spins = 0u32;
        while self.taken.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            spins += 1;
            if spins.is_multiple_of(128) {
                // SAFETY: no preconditions. The holder may wait for this core.
                unsafe { libc::sched_yield() };
            }
            std::hint::spin_loop();
        }
        let taken = Taken(&self.taken);
        // SAFETY: only the holder of the lock gets here.
        let result = action(unsafe { &mut *self.value.get() });
        drop(taken);
        result
    }
}

/// All signals there are.
pub fn all_signals() -> libc::sigset_t {
    let mut set = MaybeUninit::zeroed();
    // SAFETY: fills the set.
    unsafe {
        libc::sigfillset(set.as_mut_ptr());
        set.assume_init()
    }
}

fn block_all() -> libc::sigset_t {
    let all = all_signals();
    let mut before = MaybeUninit::zeroed();
    // SAFETY: valid sets; the call cannot fail with these arguments.
    unsafe {
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, before.as_mut_ptr());
        before.assume_init()
    }
}

fn restore(mask: &libc::sigset_t) {
    // SAFETY: a mask that the system answered.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, ptr::null_mut()) };
}
