//! Host memory that kernels reach directly (mapped, "zero-copy").
//!
//! The rule: host code that reads what a kernel writes there, or writes what a kernel reads, before it has synchronised with that kernel,
//! races with it. So there is no way to the contents but a guard, and no guard without a [`Done`] that covers the last use.

use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::{mem, ptr, slice};

use cudarc::driver::sys;

use crate::driver::check;
use crate::uses::Uses;
use crate::{Address, Device, Done, Error, Plain, Result};

/// Page-locked host memory that was allocated by the driver.
#[derive(Debug)]
pub(crate) struct Pages<T: Plain> {
    device: Device,
    start: *mut T,
    len: usize,
}

impl<T: Plain> Pages<T> {
    pub(crate) fn from_slice(device: &Device, values: &[T], flags: u32) -> Result<Self> {
        device.bind()?;
        let mut start = ptr::null_mut();
        let bytes = mem::size_of_val(values).max(1);
        // SAFETY: a place for the result.
        check("cuMemHostAlloc", unsafe { sys::cuMemHostAlloc(&mut start, bytes, flags) })?;
        let start: *mut T = start.cast();
        // SAFETY: new memory of that size, aligned to a page.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), start, values.len()) };
        Ok(Self { device: device.clone(), start, len: values.len() })
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn start(&self) -> *mut T {
        self.start
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// # Safety
    /// Nobody writes there while the slice lives.
    pub(crate) unsafe fn slice(&self) -> &[T] {
        // SAFETY: initialised by `from_slice`, and any bytes are a value.
        unsafe { slice::from_raw_parts(self.start, self.len) }
    }

    /// # Safety
    /// Nobody else reads or writes there while the slice lives.
    #[expect(clippy::mut_from_ref, reason = "who may write is known to the caller alone")]
    pub(crate) unsafe fn slice_mut(&self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { slice::from_raw_parts_mut(self.start, self.len) }
    }

    pub(crate) fn free(&mut self, idle: bool) {
        if !idle {
            // If the device has failed, it does nothing any more.
            let _ = self.device.synchronize();
        }
        // SAFETY: allocated once, freed once, by the owner's `drop`. An error has nobody to go to.
        let _ = unsafe { sys::cuMemFreeHost(self.start.cast()) };
    }
}

/// An array in mapped host memory.
///
/// As an argument of a launch, `&mapped` says that the kernel reads it, `&mut mapped` that it may write it.
#[derive(Debug)]
pub struct Mapped<T: Plain> {
    pages: Pages<T>,
    address: Address<T>,
    uses: Arc<Uses>,
}

// SAFETY: plain memory; what host code does there goes through guards.
unsafe impl<T: Plain + Send> Send for Mapped<T> {}
// SAFETY: shared references give shared access only, and only while the device does not write.
unsafe impl<T: Plain + Sync> Sync for Mapped<T> {}

impl<T: Plain> Mapped<T> {
    /// A copy of other host memory.
    pub fn from_slice(device: &Device, values: &[T]) -> Result<Self> {
        let pages = Pages::from_slice(device, values, sys::CU_MEMHOSTALLOC_DEVICEMAP)?;
        let mut address = 0;
        // SAFETY: the memory was allocated as mapped; a place for the result.
        let answer = unsafe { sys::cuMemHostGetDevicePointer_v2(&mut address, pages.start().cast(), 0) };
        let mapped = Self { pages, address: Address::new(address), uses: Arc::default() };
        check("cuMemHostGetDevicePointer", answer)?;
        Ok(mapped)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads, if `done` covers every kernel that may have written.
    pub fn read(&self, done: &Done) -> Result<Reading<'_, T>> {
        self.uses.begin_reading(done)?;
        Ok(Reading { of: self })
    }

    /// Writes, if `done` covers every kernel that may have read or written.
    pub fn write(&mut self, done: &Done) -> Result<Writing<'_, T>> {
        self.uses.begin_writing(done)?;
        Ok(Writing { of: self })
    }

    /// The contents with no proof.
    ///
    /// # Safety
    ///
    /// No work that was submitted may still write there, or the protocol by which host and device share it must order every access.
    pub unsafe fn read_unproven(&self) -> &[T] {
        // SAFETY: the caller's promise.
        unsafe { self.pages.slice() }
    }

    /// Its address on the device, for structures of parameters.
    ///
    /// # Safety
    ///
    /// A use of the address is not noted: the proofs that [`Mapped::read`] and [`Mapped::write`] take must cover it all the same.
    pub unsafe fn address(&self) -> Address<T> {
        self.address
    }

    pub(crate) fn address_place(&self) -> *const c_void {
        (&raw const self.address).cast()
    }

    pub(crate) fn uses(&self) -> &Arc<Uses> {
        &self.uses
    }
}

impl<T: Plain> Drop for Mapped<T> {
    fn drop(&mut self) {
        let idle = self.uses.is_idle();
        self.pages.free(idle);
    }
}

/// Host code's right to read; launches that write there are refused until it is dropped.
#[derive(Debug)]
pub struct Reading<'a, T: Plain> {
    of: &'a Mapped<T>,
}

impl<T: Plain> Deref for Reading<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: a proof covered all writers, and later ones are refused while the guard lives.
        unsafe { self.of.pages.slice() }
    }
}

impl<T: Plain> Drop for Reading<'_, T> {
    fn drop(&mut self) {
        self.of.uses.end_reading();
    }
}

/// Host code's right to write; launches that use the memory are refused until it is dropped.
#[derive(Debug)]
pub struct Writing<'a, T: Plain> {
    of: &'a mut Mapped<T>,
}

impl<T: Plain> Deref for Writing<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: a proof covered all uses, and later ones are refused while the guard lives.
        unsafe { self.of.pages.slice() }
    }
}

impl<T: Plain> DerefMut for Writing<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above; the guard is the only one.
        unsafe { self.of.pages.slice_mut() }
    }
}

impl<T: Plain> Drop for Writing<'_, T> {
    fn drop(&mut self) {
        self.of.uses.end_writing();
    }
}

/// A use of memory without an entry would be a hole: both ends must have one length.
pub(crate) fn same_length(a: usize, b: usize) -> Result<()> {
    if a == b { Ok(()) } else { Err(Error::Invalid("a copy between arrays of different lengths")) }
}
