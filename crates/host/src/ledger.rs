//! Device launches that failed.
//!
//! The rule: a device launch that fails is dropped, and its error stays with the thread that made it. Kernels enter such errors in a ledger
//! (`hotfire_launched` of `hotfire.cuh`), and results that depend on launches are read together with it.

use std::ffi::c_void;
use std::fmt;

use crate::{Address, DeviceBuffer, Error, Plain, Result, Stream};

/// What the ledger says: how many launches failed, and about the first.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[repr(C)]
pub struct Failures {
    /// Number of launches that failed.
    pub count: u32,
    /// CUDA's number of the first one's error: 69 (`cudaErrorLaunchPendingCountExceeded`) if the pool was full.
    pub code: i32,
    /// Block that made it.
    pub block: [u32; 3],
    /// Thread of that block.
    pub thread: [u32; 3],
}

// SAFETY: `repr(C)` numbers without padding, as `HotfireLedger` declares them.
unsafe impl Plain for Failures {}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, code, block, thread } = self;
        let plural = if *count == 1 { "" } else { "es" };
        write!(
            f,
            "{count} device launch{plural} failed, the first in block {block:?}, thread {thread:?}, with error {code}"
        )?;
        if *code == 69 { write!(f, " (the launch pool is full)") } else { Ok(()) }
    }
}

/// A ledger in device memory. Give `&ledger` to kernels that take a `HotfireLedger*`.
#[derive(Debug)]
pub struct FailureLedger {
    entry: DeviceBuffer<Failures>,
}

impl FailureLedger {
    /// An empty ledger.
    pub fn new(stream: &Stream) -> Result<Self> {
        Ok(Self { entry: DeviceBuffer::zeroed(stream, 1)? })
    }

    /// Empties it, in stream order.
    pub fn clear(&mut self, stream: &Stream) -> Result<()> {
        self.entry.fill(stream, 0)
    }

    /// Waits for the stream and reads it: `None` if no launch failed.
    pub fn read(&self, stream: &Stream) -> Result<Option<Failures>> {
        let failures = self.entry.read(stream)?[0];
        Ok((failures.count > 0).then_some(failures))
    }

    /// Where it lies, for structures of parameters.
    pub fn address(&self) -> Address<Failures> {
        self.entry.address()
    }

    pub(crate) fn address_place(&self) -> *const c_void {
        self.entry.address_place()
    }
}

/// Results that device launches compute: they cannot be read without the ledger.
#[derive(Debug)]
pub struct Covered<T: Plain> {
    buffer: DeviceBuffer<T>,
}

impl<T: Plain> Covered<T> {
    /// Puts results under a ledger.
    pub fn new(buffer: DeviceBuffer<T>) -> Self {
        Self { buffer }
    }

    /// Waits for the stream and reads the results.
    ///
    /// # Errors
    ///
    /// [`Error::LaunchesLost`] if the ledger has an entry.
    pub fn read(&self, stream: &Stream, ledger: &FailureLedger) -> Result<Vec<T>> {
        match self.read_with_losses(stream, ledger)? {
            (values, None) => Ok(values),
            (_, Some(failures)) => Err(Error::LaunchesLost(failures)),
        }
    }

    /// The same for programs that know what a lost launch leaves behind.
    pub fn read_with_losses(&self, stream: &Stream, ledger: &FailureLedger) -> Result<(Vec<T>, Option<Failures>)> {
        let values = self.buffer.read(stream)?;
        Ok((values, ledger.read(stream)?))
    }

    /// Sets every byte, in stream order.
    pub fn fill(&mut self, stream: &Stream, byte: u8) -> Result<()> {
        self.buffer.fill(stream, byte)
    }

    /// Where they lie, for structures of parameters.
    pub fn address(&self) -> Address<T> {
        self.buffer.address()
    }
}
