//! The checker's lock. It is taken around the engine's: by the worker for as long as it runs device code, by a host thread for one call.

use super::Checking;
use hotfire_check::Checker;
use parking_lot::MutexGuard;
use std::cell::Cell;

thread_local! {
    static HELD: Cell<*mut Checker> = const { Cell::new(std::ptr::null_mut()) };
}

/// The checker that the calling thread holds; null if it holds none.
pub(crate) fn held() -> *mut Checker {
    HELD.get()
}

/// Holds the checker until it is dropped. Holding it twice is fine.
pub(crate) struct Held<'a>(Option<MutexGuard<'a, Checker>>);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if self.0.is_some() {
            HELD.set(std::ptr::null_mut());
        }
    }
}

impl Checking {
    /// Holds the checker.
    pub fn hold(&self) -> Held<'_> {
        if !held().is_null() {
            return Held(None);
        }
        let mut guard = self.checker.lock();
        HELD.set(std::ptr::from_mut(&mut *guard));
        Held(Some(guard))
    }

    /// Uses the checker.
    pub fn checker<R>(&self, f: impl FnOnce(&mut Checker) -> R) -> R {
        let _held = self.hold();
        // SAFETY: this thread holds the lock, and `f` gets the only reference: callers do not nest.
        f(unsafe { &mut *held() })
    }
}
