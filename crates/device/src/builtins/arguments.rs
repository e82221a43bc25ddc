//! What all built-in functions share: reading arguments in PTX layout, answering a status, and touching the program's memory.

use crate::device::Device;
use crate::engine::Grid;
use crate::exec;
use crate::status::Status;
use crate::tracing;
use hotfire_jit::abi::{Fault, Runtime, ThreadContext, access};
use std::sync::OnceLock;

/// The arguments of a call, each at the next multiple of its alignment.
pub(super) struct Arguments {
    start: *const u8,
    offset: usize,
}

impl Arguments {
    /// # Safety
    /// `start` is what generated code passed; each [`Arguments::next`] asks for what the function's signature says.
    pub unsafe fn new(start: *const u8) -> Self {
        Self { start, offset: 0 }
    }

    /// The next argument.
    pub fn next<T: Copy>(&mut self) -> T {
        self.offset = self.offset.next_multiple_of(align_of::<T>());
        // SAFETY: the promise of `new`.
        let value = unsafe { self.start.add(self.offset).cast::<T>().read_unaligned() };
        self.offset += size_of::<T>();
        value
    }
}

/// `dim3`.
pub(super) type Dim3 = [u32; 3];

/// The calling thread, as a built-in function sees it.
#[derive(Clone, Copy)]
pub(super) struct Caller(pub *mut ThreadContext);

impl Caller {
    /// Runs `f` with the thread's grid and block on the worker's stack, and answers its value to the program.
    ///
    /// # Safety
    /// The context and the result slot are those of a call from generated code whose result is a `T`.
    pub unsafe fn answer<T: Copy>(self, result: *mut u8, f: impl FnOnce(&Grid, u64) -> T) {
        // SAFETY: the caller's promise; the slot is aligned for any scalar.
        unsafe {
            let block = exec::block_index(self.0);
            let grid = Grid::from_owner(exec::owner(self.0));
            let cycles = (*self.0).cycles;
            let call = || tracing::on_device(grid, block, cycles, || f(grid, block));
            let value = exec::on_worker_stack(self.0, call);
            result.cast::<T>().write(value);
        }
    }

    /// As [`Caller::answer`], for functions that answer an error and keep it as the thread's last one (launch-model 3.6).
    ///
    /// # Safety
    /// As [`Caller::answer`].
    pub unsafe fn status(self, result: *mut u8, f: impl FnOnce(&Grid, u64) -> Result<(), Status>) {
        // SAFETY: the caller's promise.
        unsafe {
            self.answer(result, |grid, block| Status::from(f(grid, block)).0);
            self.remember(Status(result.cast::<u32>().read()));
        }
    }

    /// Makes a failure the thread's last error.
    ///
    /// # Safety
    /// As [`Caller::answer`].
    pub unsafe fn remember(self, status: Status) {
        if !status.is_success() {
            // SAFETY: the caller's promise.
            unsafe { (*self.0).last_error = status.0 };
        }
    }

    /// The device.
    ///
    /// # Safety
    /// As [`Caller::answer`].
    pub unsafe fn device(self) -> &'static Device {
        // SAFETY: the caller's promise.
        unsafe { Grid::from_owner(exec::owner(self.0)) }.device
    }

    /// Ends the thread with a fault unless it may access these bytes.
    ///
    /// # Safety
    /// As [`Caller::answer`]; nothing on the thread's stack has a destructor.
    pub unsafe fn check(self, address: u64, bytes: u32, kind: u32) {
        static RUNTIME: OnceLock<Runtime> = OnceLock::new();
        // SAFETY: the caller's promise; `u32::MAX` is no site of any kernel.
        unsafe {
            let memory = self.device().memory();
            if memory.contains(address) {
                if !exec::on_worker_stack(self.0, || memory.is_device_accessible(address, u64::from(bytes))) {
                    exec::fault(self.0, Fault::IllegalAddress, address);
                }
            } else {
                (RUNTIME.get_or_init(exec::runtime).check_access)(self.0, address, bytes, kind, u32::MAX);
            }
        }
    }

    /// Stores through a pointer of the program's; faults if that is not legal.
    ///
    /// # Safety
    /// As [`Caller::check`].
    pub unsafe fn store<T: Copy>(self, address: u64, value: T) {
        // SAFETY: the caller's promise; the access is checked.
        unsafe {
            self.check(address, size_of::<T>() as u32, access::WRITE);
            let bytes = std::slice::from_raw_parts((&raw const value).cast::<u8>(), size_of::<T>());
            exec::stores(self.0, address, bytes, (*self.0).access);
            (address as *mut T).write_unaligned(value);
            exec::told_stored(self.0, address, size_of::<T>() as u32);
        }
    }

    /// Loads through a pointer of the program's; faults if that is not legal.
    ///
    /// # Safety
    /// As [`Caller::check`].
    pub unsafe fn load<T: Copy>(self, address: u64) -> T {
        // SAFETY: the caller's promise; the access is checked.
        unsafe {
            self.check(address, size_of::<T>() as u32, access::READ);
            (address as *const T).read_unaligned()
        }
    }

    /// The bytes from an address to the end of what the thread may read there; empty where it may read nothing.
    ///
    /// # Safety
    /// As [`Caller::answer`]; called on the worker's stack. The slice must not outlive the call from generated code; the program may
    /// change the bytes at any time.
    pub unsafe fn readable<'a>(self, address: u64) -> &'a [u8] {
        // SAFETY: the caller's promise.
        let (block, memory) = unsafe { (&*(*self.0).block, self.device().memory()) };
        let shared = block.shared as u64;
        // SAFETY: the caller's promise.
        let local = unsafe { exec::local(self.0) };
        let own = [(local.start, local.end), (shared, shared + u64::from(block.total_shared))];
        let allocated = memory.find(address).map(|found| (found.base, found.base + found.size));
        let registered = || memory.find_registered(address).map(|(base, size)| (base, base + size));
        let private = || own.into_iter().find(|&(start, end)| (start..end).contains(&address));
        let Some((_, end)) = allocated.or_else(registered).or_else(private) else { return &[] };
        // SAFETY: the range is mapped as long as the grid runs.
        unsafe { std::slice::from_raw_parts(address as *const u8, (end - address) as usize) }
    }

    /// The string at an address, at most `most` bytes of it; `None` where there is none.
    ///
    /// # Safety
    /// As [`Caller::readable`].
    pub unsafe fn text(self, address: u64, most: usize) -> Option<Vec<u8>> {
        // SAFETY: the caller's promise.
        let bytes = unsafe { self.readable(address) };
        let bytes = &bytes[..bytes.len().min(most)];
        if bytes.is_empty() {
            return None;
        }
        let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        Some(bytes[..length].to_vec())
    }
}
