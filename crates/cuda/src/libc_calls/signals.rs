//! Signals: those that traps are made of must reach the checker. Without a check, nothing is different.

use super::Next;
use hotfire_device::lending::{TRAPS, is_watching, take_signals_back};
use libc::{sigaction as Action, sighandler_t, sigset_t};
use std::ffi::c_int;

/// `sigaction` of the C library. Handlers that a program installs come behind the checker's.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigaction(signal: c_int, action: *const Action, before: *mut Action) -> c_int {
    static NEXT: Next = Next::of("sigaction\0");
    type Function = unsafe extern "C" fn(c_int, *const Action, *mut Action) -> c_int;
    // SAFETY: the C library's function of that name has this signature; its arguments are the caller's.
    let result = unsafe { std::mem::transmute::<*mut std::ffi::c_void, Function>(NEXT.get())(signal, action, before) };
    if !action.is_null() && TRAPS.contains(&signal) && is_watching() {
        take_signals_back();
    }
    result
}

/// `signal` of the C library.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signal(signal: c_int, handler: sighandler_t) -> sighandler_t {
    static NEXT: Next = Next::of("signal\0");
    type Function = unsafe extern "C" fn(c_int, sighandler_t) -> sighandler_t;
    // SAFETY: as above.
    let result = unsafe { std::mem::transmute::<*mut std::ffi::c_void, Function>(NEXT.get())(signal, handler) };
    if TRAPS.contains(&signal) && is_watching() {
        take_signals_back();
    }
    result
}

/// The set without the signals that traps are made of: a trap while they are blocked ends the process.
fn passable(set: *const sigset_t) -> Option<sigset_t> {
    if !is_watching() {
        return None;
    }
    // SAFETY: the caller's set, or null.
    let mut set = unsafe { set.as_ref().copied()? };
    for signal in TRAPS {
        // SAFETY: a valid set and signal.
        unsafe { libc::sigdelset(&raw mut set, signal) };
    }
    Some(set)
}

macro_rules! masks {
    ($($name:ident)*) => { $(
        #[doc = concat!("`", stringify!($name), "` of the C library.")]
        ///
        /// # Safety
        /// As the C library's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(how: c_int, set: *const sigset_t, before: *mut sigset_t) -> c_int {
            static NEXT: Next = Next::of(concat!(stringify!($name), "\0"));
            type Function = unsafe extern "C" fn(c_int, *const sigset_t, *mut sigset_t) -> c_int;
            let passable = if how == libc::SIG_UNBLOCK { None } else { passable(set) };
            let set = passable.as_ref().map_or(set, std::ptr::from_ref);
            // SAFETY: the C library's function of that name has this signature; its arguments are the caller's.
            unsafe { std::mem::transmute::<*mut std::ffi::c_void, Function>(NEXT.get())(how, set, before) }
        }
    )* };
}

masks! {
    pthread_sigmask
    sigprocmask
}
