//! Files: with descriptors and buffered.

use super::calls;
use libc::{FILE, off_t, off64_t};
use std::ffi::{c_int, c_void};

calls! {
    In buffer [count] filled |done: isize| done;
    fn read(file: c_int, buffer: *mut c_void, count: usize) -> isize;

    In buffer [count] filled |done: isize| done;
    fn __read_chk(file: c_int, buffer: *mut c_void, count: usize, room: usize) -> isize;

    In buffer [count] filled |done: isize| done;
    fn pread(file: c_int, buffer: *mut c_void, count: usize, offset: off_t) -> isize;

    In buffer [count] filled |done: isize| done;
    fn pread64(file: c_int, buffer: *mut c_void, count: usize, offset: off64_t) -> isize;

    In buffer [count] filled |done: isize| done;
    fn __pread_chk(file: c_int, buffer: *mut c_void, count: usize, offset: off_t, room: usize) -> isize;

    In buffer [count] filled |done: isize| done;
    fn __pread64_chk(file: c_int, buffer: *mut c_void, count: usize, offset: off64_t, room: usize) -> isize;

    Out buffer [count] filled |done: isize| done;
    fn write(file: c_int, buffer: *const c_void, count: usize) -> isize;

    Out buffer [count] filled |done: isize| done;
    fn pwrite(file: c_int, buffer: *const c_void, count: usize, offset: off_t) -> isize;

    Out buffer [count] filled |done: isize| done;
    fn pwrite64(file: c_int, buffer: *const c_void, count: usize, offset: off64_t) -> isize;

    In buffer [size.saturating_mul(count)] filled |done: usize| (done * size) as isize;
    fn fread(buffer: *mut c_void, size: usize, count: usize, file: *mut FILE) -> usize;

    In buffer [size.saturating_mul(count)] filled |done: usize| (done * size) as isize;
    fn fread_unlocked(buffer: *mut c_void, size: usize, count: usize, file: *mut FILE) -> usize;

    In buffer [size.saturating_mul(count)] filled |done: usize| (done * size) as isize;
    fn __fread_chk(buffer: *mut c_void, room: usize, size: usize, count: usize, file: *mut FILE) -> usize;

    In buffer [size.saturating_mul(count)] filled |done: usize| (done * size) as isize;
    fn __fread_unlocked_chk(buffer: *mut c_void, room: usize, size: usize, count: usize, file: *mut FILE) -> usize;

    Out buffer [size.saturating_mul(count)] filled |done: usize| (done * size) as isize;
    fn fwrite(buffer: *const c_void, size: usize, count: usize, file: *mut FILE) -> usize;

    Out buffer [size.saturating_mul(count)] filled |done: usize| (done * size) as isize;
    fn fwrite_unlocked(buffer: *const c_void, size: usize, count: usize, file: *mut FILE) -> usize;
}
