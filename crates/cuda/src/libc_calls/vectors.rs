//! Calls that take several buffers.

use super::{Next, Way, end, open};
use hotfire_device::lending::Loan;
use libc::{iovec, msghdr, off_t, off64_t};
use std::ffi::c_int;

/// The buffers of a call that are under watch: which, and its loan.
struct Loans<'a> {
    buffers: &'a [iovec],
    loans: Vec<(usize, Loan)>,
}

impl<'a> Loans<'a> {
    /// # Safety
    /// `buffers` are `count` of the caller's, or none.
    unsafe fn open(buffers: *const iovec, count: usize, way: Way) -> Self {
        if buffers.is_null() || count > libc::UIO_MAXIOV as usize {
            return Self { buffers: &[], loans: Vec::new() };
        }
        // SAFETY: the caller's promise.
        let buffers = unsafe { std::slice::from_raw_parts(buffers, count) };
        let loan = |(index, buffer): (usize, &iovec)| Some((index, open(buffer.iov_base, buffer.iov_len, way)?));
        Self { buffers, loans: buffers.iter().enumerate().filter_map(loan).collect() }
    }

    /// Reports what a call filled, and ends it.
    fn finish(self, way: Way, result: isize) -> isize {
        if self.loans.is_empty() {
            return result;
        }
        if way == Way::In
            && let Ok(bytes) = usize::try_from(result)
        {
            for (index, loan) in &self.loans {
                let before: usize = self.buffers[..*index].iter().map(|buffer| buffer.iov_len).sum();
                loan.filled(bytes.saturating_sub(before) as u64);
            }
        }
        end(self.loans, result)
    }
}

macro_rules! vectors {
    ($($way:ident fn $name:ident ($file:ident, $buffers:ident, $count:ident $(, $arg:ident : $ty:ty)*);)*) => { $(
        #[doc = concat!("`", stringify!($name), "` of the C library.")]
        ///
        /// # Safety
        /// As the C library's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(
            $file: c_int, $buffers: *const iovec, $count: c_int $(, $arg: $ty)*
        ) -> isize {
            static NEXT: Next = Next::of(concat!(stringify!($name), "\0"));
            type Function = unsafe extern "C-unwind" fn(c_int, *const iovec, c_int $(, $ty)*) -> isize;
            // SAFETY: the C library's function of that name has this signature; its arguments are the caller's.
            unsafe {
                let next = std::mem::transmute::<*mut std::ffi::c_void, Function>(NEXT.get());
                let loans = Loans::open($buffers, usize::try_from($count).unwrap_or(0), Way::$way);
                let result = next($file, $buffers, $count $(, $arg)*);
                loans.finish(Way::$way, result)
            }
        }
    )* };
}

vectors! {
    In fn readv(file, buffers, count);
    Out fn writev(file, buffers, count);
    In fn preadv(file, buffers, count, offset: off_t);
    In fn preadv64(file, buffers, count, offset: off64_t);
    Out fn pwritev(file, buffers, count, offset: off_t);
    Out fn pwritev64(file, buffers, count, offset: off64_t);
}

/// `recvmsg` of the C library.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn recvmsg(socket: c_int, message: *mut msghdr, flags: c_int) -> isize {
    static NEXT: Next = Next::of("recvmsg\0");
    type Function = unsafe extern "C-unwind" fn(c_int, *mut msghdr, c_int) -> isize;
    // SAFETY: the C library's function of that name has this signature; its arguments are the caller's.
    unsafe {
        let next = std::mem::transmute::<*mut std::ffi::c_void, Function>(NEXT.get());
        let loans = match message.as_ref() {
            Some(message) => Loans::open(message.msg_iov, message.msg_iovlen, Way::In),
            None => Loans::open(std::ptr::null(), 0, Way::In),
        };
        let result = next(socket, message, flags);
        loans.finish(Way::In, result)
    }
}

/// `sendmsg` of the C library.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn sendmsg(socket: c_int, message: *const msghdr, flags: c_int) -> isize {
    static NEXT: Next = Next::of("sendmsg\0");
    type Function = unsafe extern "C-unwind" fn(c_int, *const msghdr, c_int) -> isize;
    // SAFETY: as above.
    unsafe {
        let next = std::mem::transmute::<*mut std::ffi::c_void, Function>(NEXT.get());
        let loans = match message.as_ref() {
            Some(message) => Loans::open(message.msg_iov, message.msg_iovlen, Way::Out),
            None => Loans::open(std::ptr::null(), 0, Way::Out),
        };
        let result = next(socket, message, flags);
        loans.finish(Way::Out, result)
    }
}
