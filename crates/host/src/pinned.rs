//! Page-locked host memory for asynchronous copies.
//!
//! The rule: until an asynchronous copy is complete, host code must not write its source nor touch its destination, and neither may be
//! freed. A copy here *takes* both buffers and gives them back when it is done, so that breaking the rule does not compile.

use std::mem::{self, ManuallyDrop};
use std::ops::{Deref, DerefMut};

use cudarc::driver::sys;

use crate::driver::check;
use crate::mapped::{Pages, same_length};
use crate::{Device, DeviceBuffer, Event, Plain, Result, Stream};

/// An array in page-locked host memory. Only copies use it, and they own it meanwhile: it is host code's whenever host code has it.
#[derive(Debug)]
pub struct Pinned<T: Plain>(Pages<T>);

// SAFETY: plain memory with one owner.
unsafe impl<T: Plain + Send> Send for Pinned<T> {}
// SAFETY: shared references only read.
unsafe impl<T: Plain + Sync> Sync for Pinned<T> {}

impl<T: Plain> Pinned<T> {
    /// A copy of other host memory.
    pub fn from_slice(device: &Device, values: &[T]) -> Result<Self> {
        Pages::from_slice(device, values, 0).map(Self)
    }

    /// Begins to copy to the device, in stream order.
    ///
    /// On an error both buffers are freed.
    pub fn copy_to(self, target: DeviceBuffer<T>, stream: &Stream) -> Result<InFlight<T>> {
        same_length(self.len(), target.len())?;
        stream.device().bind()?;
        let bytes = mem::size_of_val(&*self);
        // SAFETY: both arrays have so many bytes, and `InFlight` keeps them until the copy is complete.
        let answer =
            unsafe { sys::cuMemcpyHtoDAsync_v2(target.address().get(), self.0.start().cast(), bytes, stream.handle()) };
        check("cuMemcpyHtoDAsync", answer)?;
        InFlight::begin(self, target, stream)
    }

    /// Begins to copy from the device, in stream order.
    pub fn copy_from(self, source: DeviceBuffer<T>, stream: &Stream) -> Result<InFlight<T>> {
        same_length(self.len(), source.len())?;
        stream.device().bind()?;
        let bytes = mem::size_of_val(&*self);
        // SAFETY: as above.
        let answer =
            unsafe { sys::cuMemcpyDtoHAsync_v2(self.0.start().cast(), source.address().get(), bytes, stream.handle()) };
        check("cuMemcpyDtoHAsync", answer)?;
        InFlight::begin(self, source, stream)
    }
}

impl<T: Plain> Deref for Pinned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: no copy is under way: it would own this.
        unsafe { self.0.slice() }
    }
}

impl<T: Plain> DerefMut for Pinned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { self.0.slice_mut() }
    }
}

impl<T: Plain> Drop for Pinned<T> {
    fn drop(&mut self) {
        // A copy that was forgotten never drops its buffers; one that was refused is not under way.
        self.0.free(true);
    }
}

/// An asynchronous copy under way, with both its buffers. Dropping it waits; forgetting it leaks them, which is safe.
#[derive(Debug)]
#[must_use = "the buffers come back from `wait`"]
pub struct InFlight<T: Plain> {
    buffers: ManuallyDrop<(Pinned<T>, DeviceBuffer<T>)>,
    end: ManuallyDrop<Event>,
}

impl<T: Plain> InFlight<T> {
    fn begin(host: Pinned<T>, device: DeviceBuffer<T>, stream: &Stream) -> Result<Self> {
        stream.device().submit();
        match stream.record(false) {
            Ok(end) => Ok(Self { buffers: ManuallyDrop::new((host, device)), end: ManuallyDrop::new(end) }),
            Err(error) => {
                // The copy may be under way: nothing is freed before it has ended.
                let _ = host.0.device().synchronize();
                Err(error)
            }
        }
    }

    /// Waits until the copy is complete, and gives the buffers back.
    pub fn wait(mut self) -> Result<(Pinned<T>, DeviceBuffer<T>)> {
        let waited = self.end.synchronize();
        // SAFETY: both are taken once: `self` is forgotten.
        let (buffers, end) = unsafe { (ManuallyDrop::take(&mut self.buffers), ManuallyDrop::take(&mut self.end)) };
        mem::forget(self);
        drop(end);
        waited.map(|_| buffers)
    }
}

impl<T: Plain> Drop for InFlight<T> {
    fn drop(&mut self) {
        // If the device has failed, it does nothing any more.
        let _ = self.end.synchronize();
        // SAFETY: dropped once, here; `wait` forgets `self`.
        unsafe {
            ManuallyDrop::drop(&mut self.buffers);
            ManuallyDrop::drop(&mut self.end);
        }
    }
}
