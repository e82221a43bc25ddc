//! Functions of the C library that hand memory to the kernel, in front of the library's own.
//!
//! Under `hotfire check` memory that a program shares with the device may be closed when it calls `read` or `send` with it. A load would
//! trap and be carried out; the kernel answers `EFAULT` instead. So these functions open the buffer for the call and report it as an
//! access ([`hotfire_device::lending`]). Without a check, and for all other memory, each is its successor behind a test of one word.
//!
//! Blocking the signals that traps are made of, or handling them, is put right as well.
//!
//! What other calls hand to the kernel (`ioctl`, `getrandom`, io_uring, …) is refused by it while the memory is closed.

mod files;
mod signals;
mod sockets;
mod vectors;

use hotfire_device::lending::{Loan, lend};
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function of whatever object comes after this one.
pub(crate) struct Next {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Next {
    /// The function of a name that ends with a zero.
    pub const fn of(name: &'static str) -> Self {
        let Ok(name) = CStr::from_bytes_with_nul(name.as_bytes()) else { panic!("a name that ends with a zero") };
        Self { name, address: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Its address; null if there is none.
    pub fn get(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: a terminated name.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

/// What a call gets its buffer as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The kernel reads it.
    Out,
    /// The kernel fills it.
    In,
}

/// Opens a buffer for a call.
fn open(address: *const c_void, size: usize, way: Way) -> Option<Loan> {
    lend(address as u64, size as u64, way == Way::In)
}

/// Reports what a call filled, if it succeeded.
fn filled(loan: &Option<Loan>, way: Way, bytes: isize) {
    if let (Some(loan), Way::In, Ok(bytes)) = (loan, way, u64::try_from(bytes)) {
        loan.filled(bytes);
    }
}

/// Ends a call: loans go, and `errno` stays what the call made it.
fn end<R>(loans: impl Sized, result: R) -> R {
    // SAFETY: the calling thread's own.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let kept = unsafe { errno.read() };
    drop(loans);
    // SAFETY: as above.
    unsafe { errno.write(kept) };
    result
}

/// Functions that take one buffer: which way it goes, its address and length, how many bytes of it a result says were filled, and the
/// function. Threads that are cancelled in one unwind through it.
macro_rules! calls {
    ($($way:ident $buffer:ident [$length:expr] filled $filled:expr; fn $name:ident ($($arg:ident : $ty:ty),*) -> $result:ty;)*) => { $(
        #[doc = concat!("`", stringify!($name), "` of the C library.")]
        ///
        /// # Safety
        /// As the C library's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name($($arg: $ty),*) -> $result {
            static NEXT: $crate::libc_calls::Next = $crate::libc_calls::Next::of(concat!(stringify!($name), "\0"));
            type Function = unsafe extern "C-unwind" fn($($ty),*) -> $result;
            // SAFETY: the C library's function of that name has this signature.
            let next: Function = unsafe { std::mem::transmute::<*mut std::ffi::c_void, Function>(NEXT.get()) };
            let way = $crate::libc_calls::Way::$way;
            let loan = $crate::libc_calls::open($buffer.cast(), $length, way);
            // SAFETY: the caller's promise.
            let result = unsafe { next($($arg),*) };
            if loan.is_none() {
                return result;
            }
            let done = $filled;
            $crate::libc_calls::filled(&loan, way, done(result));
            $crate::libc_calls::end(loan, result)
        }
    )* };
}
use calls;
