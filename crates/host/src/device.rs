//! One device: cudarc's context, and the count of what was submitted to it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaContext, sys};

use crate::driver::{check, from_cudarc};
use crate::{Done, Error, Result};

/// An open device. Clones are the same device, and opening it again gives the same one: it stays open, with the size of its launch pool,
/// as long as the process.
#[derive(Clone, Debug)]
pub struct Device(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    context: Arc<CudaContext>,
    /// Everything submitted has a number, given once the driver has it.
    submitted: AtomicU64,
    /// A kernel has been launched: the pool is what it is.
    launched: AtomicBool,
}

impl Device {
    /// Opens a device by its number.
    pub fn open(ordinal: usize) -> Result<Self> {
        static OPEN: Mutex<Option<HashMap<usize, Device>>> = Mutex::new(None);
        // SAFETY: this only looks whether the driver's library can be loaded.
        if !unsafe { sys::is_culib_present() } {
            return Err(Error::NoDriver);
        }
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let open = open.get_or_insert_default();
        if let Some(device) = open.get(&ordinal) {
            return Ok(device.clone());
        }
        let context = CudaContext::new(ordinal).map_err(from_cudarc("opening the device"))?;
        let inner = Arc::new(Inner { context, submitted: AtomicU64::new(0), launched: AtomicBool::new(false) });
        Ok(open.entry(ordinal).or_insert(Self(inner)).clone())
    }

    /// cudarc's context, for what is not in this crate.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.0.context
    }

    /// The device's name.
    pub fn name(&self) -> Result<String> {
        self.0.context.name().map_err(from_cudarc("cuDeviceGetName"))
    }

    /// Number of multiprocessors.
    pub fn multiprocessors(&self) -> Result<usize> {
        let kind = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        self.0.context.attribute(kind).map(|count| count as usize).map_err(from_cudarc("cuDeviceGetAttribute"))
    }

    /// Free and total memory in bytes.
    pub fn memory(&self) -> Result<(usize, usize)> {
        self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: two places for results.
        check("cuMemGetInfo", unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) })?;
        Ok((free, total))
    }

    /// Waits for all work of the device; the proof covers everything submitted before.
    pub fn synchronize(&self) -> Result<Done> {
        let upto = self.submitted();
        self.bind()?;
        // SAFETY: the context is current.
        check("cuCtxSynchronize", unsafe { sys::cuCtxSynchronize() })?;
        Ok(Done::everything(upto))
    }

    pub(crate) fn bind(&self) -> Result<()> {
        self.0.context.bind_to_thread().map_err(from_cudarc("cuCtxSetCurrent"))
    }

    /// The number of what the driver has just accepted.
    pub(crate) fn submit(&self) -> u64 {
        self.0.submitted.fetch_add(1, Ordering::AcqRel) + 1
    }

    pub(crate) fn submitted(&self) -> u64 {
        self.0.submitted.load(Ordering::Acquire)
    }

    pub(crate) fn note_kernel(&self) {
        self.0.launched.store(true, Ordering::Release);
    }

    pub(crate) fn has_launched(&self) -> bool {
        self.0.launched.load(Ordering::Acquire)
    }
}
