//! Device memory.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem;

use cudarc::driver::sys;

use crate::driver::check;
use crate::{Device, Error, Plain, Result, Stream};

/// Where an array lies in device memory, as kernels and structures of parameters hold it.
#[repr(transparent)]
pub struct Address<T>(u64, PhantomData<*const T>);

impl<T> Clone for Address<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Address<T> {}

impl<T> std::fmt::Debug for Address<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl<T> Address<T> {
    /// The null pointer.
    pub const NULL: Self = Self(0, PhantomData);

    pub(crate) fn new(address: u64) -> Self {
        Self(address, PhantomData)
    }

    /// CUDA's number.
    pub fn get(self) -> u64 {
        self.0
    }

    /// The address of a later element.
    pub fn plus(self, elements: usize) -> Self {
        Self(self.0 + (elements * mem::size_of::<T>()) as u64, PhantomData)
    }
}

// SAFETY: a number of 64 bits.
unsafe impl<T: 'static> Plain for Address<T> {}

/// An array in device memory, given back when dropped.
///
/// Dropping waits for all work of the device first: freeing orders nothing by itself.
#[derive(Debug)]
pub struct DeviceBuffer<T: Plain> {
    device: Device,
    address: Address<T>,
    len: usize,
}

// SAFETY: an address in memory that any thread may have used by the device.
unsafe impl<T: Plain> Send for DeviceBuffer<T> {}
// SAFETY: as above; shared references only read it.
unsafe impl<T: Plain> Sync for DeviceBuffer<T> {}

impl<T: Plain> DeviceBuffer<T> {
    /// Elements whose bytes are all zero.
    pub fn zeroed(stream: &Stream, len: usize) -> Result<Self> {
        let device = stream.device().clone();
        device.bind()?;
        let bytes = len.checked_mul(mem::size_of::<T>()).ok_or(Error::Invalid("an array larger than memory"))?;
        let mut address = 0;
        // SAFETY: a place for the result. An allocation of nothing is an error of CUDA's, so that there is always a byte.
        check("cuMemAlloc", unsafe { sys::cuMemAlloc_v2(&mut address, bytes.max(1)) })?;
        let mut buffer = Self { device, address: Address::new(address), len };
        buffer.fill(stream, 0)?;
        Ok(buffer)
    }

    /// A copy of host memory.
    pub fn from_slice(stream: &Stream, values: &[T]) -> Result<Self> {
        let mut buffer = Self::zeroed(stream, values.len())?;
        buffer.upload(stream, values)?;
        Ok(buffer)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.len * mem::size_of::<T>()
    }

    /// Where it lies, for structures of parameters. Whoever uses it must keep the buffer.
    pub fn address(&self) -> Address<T> {
        self.address
    }

    pub(crate) fn address_place(&self) -> *const c_void {
        (&raw const self.address).cast()
    }

    /// Sets every byte, in stream order.
    pub fn fill(&mut self, stream: &Stream, byte: u8) -> Result<()> {
        if self.bytes() == 0 {
            return Ok(());
        }
        self.device.bind()?;
        // SAFETY: the buffer has so many bytes, and outlives the work in `stream`, because dropping waits for it.
        let answer = unsafe { sys::cuMemsetD8Async(self.address.get(), byte, self.bytes(), stream.handle()) };
        check("cuMemsetD8Async", answer)?;
        self.device.submit();
        Ok(())
    }

    /// Copies from host memory, which is free when this returns.
    pub fn upload(&mut self, stream: &Stream, values: &[T]) -> Result<()> {
        if values.len() != self.len {
            return Err(Error::Invalid("a copy between arrays of different lengths"));
        }
        if values.is_empty() {
            return Ok(());
        }
        self.device.bind()?;
        // SAFETY: both arrays have so many bytes; the source stays until the stream is synchronised below.
        let answer = unsafe {
            sys::cuMemcpyHtoDAsync_v2(self.address.get(), values.as_ptr().cast(), self.bytes(), stream.handle())
        };
        check("cuMemcpyHtoDAsync", answer)?;
        self.device.submit();
        stream.synchronize().map(drop)
    }

    /// Waits for what the stream has, and copies to host memory.
    pub fn read(&self, stream: &Stream) -> Result<Vec<T>> {
        self.read_first(stream, self.len)
    }

    /// The same for the first elements only.
    pub fn read_first(&self, stream: &Stream, len: usize) -> Result<Vec<T>> {
        let len = len.min(self.len);
        let mut values: Vec<T> = Vec::with_capacity(len);
        if len == 0 {
            return Ok(values);
        }
        self.device.bind()?;
        let bytes = len * mem::size_of::<T>();
        // SAFETY: both arrays have so many bytes; the destination stays until the stream is synchronised below.
        let answer = unsafe {
            sys::cuMemcpyDtoHAsync_v2(values.as_mut_ptr().cast(), self.address.get(), bytes, stream.handle())
        };
        let copied = check("cuMemcpyDtoHAsync", answer);
        self.device.submit();
        // Even if the copy was refused: nothing may be left that writes there.
        stream.synchronize()?;
        copied?;
        // SAFETY: the copy wrote all of them, and any bytes are a value.
        unsafe { values.set_len(len) };
        Ok(values)
    }
}

impl<T: Plain> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        // Nothing may be left that uses it. If the device has failed, it does nothing any more.
        let _ = self.device.synchronize();
        // SAFETY: allocated once, freed once. An error has nobody to go to.
        let _ = unsafe { sys::cuMemFree_v2(self.address.get()) };
    }
}
