//! Sockets, with one buffer.

use super::calls;
use libc::{sockaddr, socklen_t};
use std::ffi::{c_int, c_void};

calls! {
    In buffer [count] filled |done: isize| done;
    fn recv(socket: c_int, buffer: *mut c_void, count: usize, flags: c_int) -> isize;

    In buffer [count] filled |done: isize| done;
    fn __recv_chk(socket: c_int, buffer: *mut c_void, count: usize, room: usize, flags: c_int) -> isize;

    In buffer [count] filled |done: isize| done;
    fn recvfrom(
        socket: c_int, buffer: *mut c_void, count: usize, flags: c_int, from: *mut sockaddr, size: *mut socklen_t
    ) -> isize;

    In buffer [count] filled |done: isize| done;
    fn __recvfrom_chk(
        socket: c_int, buffer: *mut c_void, count: usize, room: usize, flags: c_int, from: *mut sockaddr, size: *mut socklen_t
    ) -> isize;

    Out buffer [count] filled |done: isize| done;
    fn send(socket: c_int, buffer: *const c_void, count: usize, flags: c_int) -> isize;

    Out buffer [count] filled |done: isize| done;
    fn sendto(
        socket: c_int, buffer: *const c_void, count: usize, flags: c_int, to: *const sockaddr, size: socklen_t
    ) -> isize;
}
