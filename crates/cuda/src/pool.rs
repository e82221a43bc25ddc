//! Memory pools (CUDA guide, "Stream Ordered Memory Allocator"): one, the device's default pool. Allocations come from
//! the device's memory directly; the attributes are kept, and the counters count what was allocated in stream order.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use hotfire_device::{Device, Status, Stream};
use parking_lot::Mutex;

use crate::types::Handle;

/// The handle of the default pool.
const DEFAULT: usize = 0x4f46_1000_0000_0010;
/// `cudaMemPoolAttrReleaseThreshold`.
const RELEASE_THRESHOLD: u32 = 4;

static SWITCHES: Mutex<[u32; 3]> = Mutex::new([1; 3]);
static THRESHOLD: AtomicU64 = AtomicU64::new(0);
static SIZES: Mutex<Option<Sizes>> = Mutex::new(None);

/// Live stream-ordered allocations.
#[derive(Default)]
struct Sizes {
    live: HashMap<u64, u64>,
    used: u64,
    peak: u64,
}

/// The default pool's handle.
pub(crate) fn default_pool() -> Handle {
    DEFAULT as Handle
}

/// Fails for a handle that is not the default pool's.
pub(crate) fn check(pool: Handle) -> Result<(), Status> {
    if pool as usize == DEFAULT { Ok(()) } else { Err(Status::INVALID_VALUE) }
}

/// `cudaMallocAsync`.
pub(crate) fn allocate(bytes: usize, stream: Stream) -> Result<u64, Status> {
    let address = Device::get().malloc_async(bytes as u64, stream)?;
    let mut sizes = SIZES.lock();
    let sizes = sizes.get_or_insert_default();
    sizes.live.insert(address, bytes as u64);
    sizes.used += bytes as u64;
    sizes.peak = sizes.peak.max(sizes.used);
    Ok(address)
}

/// `cudaFreeAsync`, for memory of any allocator.
pub(crate) fn free(address: u64, stream: Stream) -> Result<(), Status> {
    Device::get().free_async(address, stream).ok()?;
    forget(address);
    Ok(())
}

/// Takes an allocation out of the counters, however it was freed.
pub(crate) fn forget(address: u64) {
    if let Some(sizes) = SIZES.lock().as_mut()
        && let Some(bytes) = sizes.live.remove(&address)
    {
        sizes.used -= bytes;
    }
}

/// An attribute: 32-bit switches and 64-bit sizes.
pub(crate) enum Value {
    Switch(u32),
    Size(u64),
}

/// `cudaMemPoolGetAttribute`.
pub(crate) fn attribute(number: u32) -> Result<Value, Status> {
    let sizes = SIZES.lock();
    let (used, peak) = sizes.as_ref().map_or((0, 0), |sizes| (sizes.used, sizes.peak));
    Ok(match number {
        1..=3 => Value::Switch(SWITCHES.lock()[number as usize - 1]),
        RELEASE_THRESHOLD => Value::Size(THRESHOLD.load(Ordering::Relaxed)),
        5 | 7 => Value::Size(used),
        6 | 8 => Value::Size(peak),
        _ => return Err(Status::INVALID_VALUE),
    })
}

/// How wide an attribute's value is, if it can be set.
pub(crate) fn is_switch(number: u32) -> Result<bool, Status> {
    match number {
        1..=3 => Ok(true),
        RELEASE_THRESHOLD | 6 | 8 => Ok(false),
        _ => Err(Status::INVALID_VALUE),
    }
}

/// `cudaMemPoolSetAttribute`. The high-water marks can only be reset.
pub(crate) fn set_attribute(number: u32, value: u64) -> Result<(), Status> {
    match number {
        1..=3 => SWITCHES.lock()[number as usize - 1] = u32::from(value != 0),
        RELEASE_THRESHOLD => THRESHOLD.store(value, Ordering::Relaxed),
        6 | 8 if value == 0 => {
            if let Some(sizes) = SIZES.lock().as_mut() {
                sizes.peak = sizes.used;
            }
        }
        _ => return Err(Status::INVALID_VALUE),
    }
    Ok(())
}
