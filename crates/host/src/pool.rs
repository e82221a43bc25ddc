//! The pool of pending device launches.
//!
//! The rules: every device launch holds a slot from the call until its grid is done; a launch that finds the pool full is dropped, and only
//! the launching thread knows. The pool is sized by the host, before the first kernel; a size that the device cannot give is cut down
//! silently and must be read back.

use cudarc::driver::sys::{self, CUlimit};

use crate::driver::check;
use crate::{Device, Error, Result};

/// A launch pool whose size is known.
#[derive(Clone, Copy, Debug)]
pub struct LaunchPool {
    needed: usize,
    granted: usize,
}

impl LaunchPool {
    /// What a device has unless it is told otherwise.
    pub const DEFAULT: usize = 2048;

    /// Device memory of one slot in bytes, as measured on an H200.
    pub const BYTES_PER_SLOT: usize = 8_200;

    /// Makes room for `bound` launches pending at once: every child that is not done and every tail that is queued. Never less than the default.
    ///
    /// # Errors
    ///
    /// [`Error::PoolTooSmall`] if the device gives fewer; [`Error::PoolAfterKernel`] if this crate has launched a kernel on the device
    /// already and the pool is not large enough as it is.
    pub fn for_pending(device: &Device, bound: usize) -> Result<Self> {
        let pool = Self::of_size(device, bound.max(Self::DEFAULT))?;
        if pool.granted < bound {
            return Err(Error::PoolTooSmall { needed: bound, granted: pool.granted });
        }
        Ok(Self { needed: bound, ..pool })
    }

    /// A pool of about that many slots, whatever may be pending: for programs that count what they lose (see [`crate::FailureLedger`]).
    pub fn of_size(device: &Device, slots: usize) -> Result<Self> {
        device.bind()?;
        let limit = CUlimit::CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT;
        let mut granted = 0;
        // SAFETY: a place for the result.
        check("cuCtxGetLimit", unsafe { sys::cuCtxGetLimit(&mut granted, limit) })?;
        if granted < slots && device.has_launched() {
            return Err(Error::PoolAfterKernel);
        }
        if !device.has_launched() {
            // SAFETY: the context is current.
            check("cuCtxSetLimit", unsafe { sys::cuCtxSetLimit(limit, slots) })?;
            // SAFETY: a place for the result.
            check("cuCtxGetLimit", unsafe { sys::cuCtxGetLimit(&mut granted, limit) })?;
        }
        Ok(Self { needed: slots, granted })
    }

    /// What was asked for.
    pub fn needed(&self) -> usize {
        self.needed
    }

    /// Slots that the device gave.
    pub fn granted(&self) -> usize {
        self.granted
    }

    /// Device memory that they cost, in bytes.
    pub fn bytes(&self) -> usize {
        self.granted * Self::BYTES_PER_SLOT
    }
}
