//! The boundary: how a Rust function becomes one of CUDA's.
//!
//! An `export!` item's body answers `Result<(), Status>`. The word before `fn` says what must hold before the body
//! runs, and so which API's rules apply:
//! - `driver`: nothing; for calls that need no context.
//! - `context`: the driver API is initialised, the calling thread has a context and the device has no sticky error.
//! - `runtime`: the runtime API's implicit initialisation has happened and there is no sticky error; a failure
//!   becomes the thread's last error.
//! - `runtime_plain`: a runtime function that needs no device; a failure becomes the thread's last error.
//! - `both`: a function of both APIs, `cuda…` first: `runtime` for the one, `context` for the other. With `as`, two names of each.
//! - `plain`: a function with a signature of its own, exported as it is written.
//!
//! `fn a | b as default (…)` exports two forms that differ in what stream 0 means; `default` is bound to that.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use hotfire_device::{Device, Status};

use crate::{error, notice, thread};

macro_rules! export {
    () => {};
    ($(#[$meta:meta])* plain fn $name:ident ($($arg:ident : $ty:ty),* $(,)?) $(-> $result:ty)? $body:block $($rest:tt)*) => {
        $(#[$meta])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) $(-> $result)? {
            $crate::export::plain(stringify!($name), move || $body)
        }
        export! { $($rest)* }
    };
    ($(#[$meta:meta])* both fn $runtime:ident | $driver:ident ($($arg:ident : $ty:ty),* $(,)?) $body:block $($rest:tt)*) => {
        $crate::export::export! { $(#[$meta])* runtime fn $runtime ($($arg : $ty),*) $body }
        $crate::export::export! { $(#[$meta])* context fn $driver ($($arg : $ty),*) $body }
        export! { $($rest)* }
    };
    ($(#[$meta:meta])* both fn $runtime:ident | $runtime_own:ident | $driver:ident | $driver_own:ident as $default:ident
     ($($arg:ident : $ty:ty),* $(,)?) $body:block $($rest:tt)*) => {
        $crate::export::export! { $(#[$meta])* runtime fn $runtime | $runtime_own as $default ($($arg : $ty),*) $body }
        $crate::export::export! { $(#[$meta])* context fn $driver | $driver_own as $default ($($arg : $ty),*) $body }
        export! { $($rest)* }
    };
    ($(#[$meta:meta])* $kind:ident fn $name:ident ($($arg:ident : $ty:ty),* $(,)?) $body:block $($rest:tt)*) => {
        $(#[$meta])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) -> u32 {
            $crate::export::$kind(stringify!($name), move || $body)
        }
        export! { $($rest)* }
    };
    ($(#[$meta:meta])* $kind:ident fn $name:ident | $own:ident as $default:ident ($($arg:ident : $ty:ty),* $(,)?) $body:block
     $($rest:tt)*) => {
        $(#[$meta])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) -> u32 {
            let $default = $crate::stream::Default::Legacy;
            $crate::export::$kind(stringify!($name), move || $body)
        }
        $(#[$meta])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $own($($arg: $ty),*) -> u32 {
            let $default = $crate::stream::Default::PerThread;
            $crate::export::$kind(stringify!($own), move || $body)
        }
        export! { $($rest)* }
    };
}
pub(crate) use export;

/// Runs a body; a panic is our fault, not the program's, and must not unwind into C.
fn caught<R>(name: &'static str, body: impl FnOnce() -> R) -> Option<R> {
    // What the call itself touches is no access of the program's.
    let _call = hotfire_device::Call::enter(name);
    // The state behind is behind locks that do not poison and is only left consistent.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => Some(result),
        Err(payload) => {
            let text = payload
                .downcast_ref::<&str>()
                .map(ToString::to_string)
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            notice::line(&format!("internal error in {name}: {text}"));
            None
        }
    }
}

/// The status of a body, [`Status::UNKNOWN`] if it panicked.
fn status(name: &'static str, body: impl FnOnce() -> Result<(), Status>) -> Status {
    match caught(name, body) {
        Some(Ok(())) => Status::SUCCESS,
        Some(Err(status)) => status,
        None => Status::UNKNOWN,
    }
}

/// The driver API has fewer codes than the runtime API; what it says instead.
fn as_driver(status: Status) -> u32 {
    match status {
        Status::INVALID_DEVICE_FUNCTION => Status::INVALID_RESOURCE_HANDLE.0,
        Status::INVALID_SYMBOL => Status::SYMBOL_NOT_FOUND.0,
        Status(code) if error::driver_name(code).is_none() => Status::INVALID_VALUE.0,
        Status(code) => code,
    }
}

pub(crate) fn driver(name: &'static str, body: impl FnOnce() -> Result<(), Status>) -> u32 {
    as_driver(status(name, body))
}

pub(crate) fn context(name: &'static str, body: impl FnOnce() -> Result<(), Status>) -> u32 {
    as_driver(status(name, || {
        thread::require_context()?;
        body()
    }))
}

pub(crate) fn runtime(name: &'static str, body: impl FnOnce() -> Result<(), Status>) -> u32 {
    runtime_plain(name, || {
        thread::require_device()?;
        body()
    })
}

pub(crate) fn runtime_plain(name: &'static str, body: impl FnOnce() -> Result<(), Status>) -> u32 {
    match status(name, body) {
        Status::SUCCESS => 0,
        failure => {
            // Not ready is an answer; and before there is a device, nobody checks.
            if failure != Status::NOT_READY && checked() {
                Device::get().note_failed_call(name, failure);
            }
            thread::failed(failure).0
        }
    }
}

/// Whether `hotfire check` runs the program.
pub(crate) fn checked() -> bool {
    static CHECKED: OnceLock<bool> = OnceLock::new();
    *CHECKED.get_or_init(|| std::env::var_os("HOTFIRE_CHECK").is_some_and(|path| !path.is_empty()))
}

/// For functions that answer something else than a status: the result's zero value stands for a panic.
pub(crate) fn plain<R: Zero>(name: &'static str, body: impl FnOnce() -> R) -> R {
    caught(name, body).unwrap_or_else(R::zero)
}

/// What a function with a signature of its own answers after an internal error.
pub(crate) trait Zero {
    fn zero() -> Self;
}

impl Zero for () {
    fn zero() {}
}

impl Zero for u32 {
    fn zero() -> Self {
        Status::UNKNOWN.0
    }
}

impl Zero for i8 {
    fn zero() -> Self {
        0
    }
}

impl<T> Zero for *const T {
    fn zero() -> Self {
        std::ptr::null()
    }
}

impl<T> Zero for *mut T {
    fn zero() -> Self {
        std::ptr::null_mut()
    }
}
