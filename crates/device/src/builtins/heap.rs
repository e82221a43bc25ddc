//! The heap of device-side `malloc` (CUDA Programming Guide, "Dynamic global memory allocation"): one region of the size
//! that the limit says when device code first allocates, until the device is reset.

use super::arguments::{Arguments, Caller};
use crate::checking::{Class, Origin, Who};
use crate::device::Device;
use crate::engine::Grid;
use crate::memory::{Kind, Memory};
use crate::status::Status;
use hotfire_jit::abi::{Fault, ThreadContext};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};

/// What CUDA promises about alignment.
const ALIGNMENT: u64 = 16;

/// Free and live ranges of the region.
#[derive(Debug)]
struct Region {
    base: u64,
    bytes: u64,
    /// Length of each free range by its start; neighbours are merged.
    free: BTreeMap<u64, u64>,
    live: HashMap<u64, u64>,
}

impl Region {
    fn new(base: u64, size: u64) -> Self {
        Self { base, bytes: size, free: BTreeMap::from([(base, size)]), live: HashMap::new() }
    }

    /// First fit.
    fn take(&mut self, size: u64) -> Option<u64> {
        let size = size.max(1).checked_next_multiple_of(ALIGNMENT)?;
        let (&start, &length) = self.free.iter().find(|&(_, &length)| length >= size)?;
        self.free.remove(&start);
        if length > size {
            self.free.insert(start + size, length - size);
        }
        self.live.insert(start, size);
        Some(start)
    }

    /// False if nothing was allocated there.
    fn give(&mut self, address: u64) -> bool {
        let Some(mut size) = self.live.remove(&address) else { return false };
        let mut start = address;
        if let Some((&before, &length)) = self.free.range(..address).next_back()
            && before + length == address
        {
            self.free.remove(&before);
            start = before;
            size += length;
        }
        if let Some(length) = self.free.remove(&(start + size)) {
            size += length;
        }
        self.free.insert(start, size);
        true
    }
}

/// The device's heap.
#[derive(Debug)]
pub(crate) struct Heap(Mutex<Option<Region>>);

impl Heap {
    pub fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Whether device code has allocated from it.
    pub fn exists(&self) -> bool {
        self.0.lock().is_some()
    }

    /// Whether an address lies in its region.
    pub fn contains(&self, address: u64) -> bool {
        self.0.lock().as_ref().is_some_and(|region| address.wrapping_sub(region.base) < region.bytes)
    }

    /// Gives the region back.
    pub fn reset(&self, memory: &Memory) {
        if let Some(region) = self.0.lock().take() {
            let _ = memory.free(region.base);
        }
    }

    fn take(&self, device: &Device, size: u64) -> Option<u64> {
        let mut region = self.0.lock();
        if region.is_none() {
            let bytes = device.heap_limit();
            *region = Some(Region::new(device.memory().alloc(Kind::Module, bytes, 4096)?, bytes));
        }
        region.as_mut()?.take(size)
    }

    fn give(&self, address: u64) -> bool {
        self.0.lock().as_mut().is_some_and(|region| region.give(address))
    }
}

/// Tells the checker what device code allocated.
///
/// # Safety
/// The context is the calling thread's.
unsafe fn note(context: *mut ThreadContext, grid: &Grid, address: Option<u64>, size: u64) {
    let Some(checking) = &grid.device.checking else { return };
    // SAFETY: the caller's promise.
    let who = unsafe {
        crate::exec::learn(context);
        Who::of(context)
    };
    match address {
        Some(address) => checking.made(Class::Heap, address, size, Origin::Device(who)),
        None => checking.heap_full(who, size),
    }
}

/// Tells the checker what device code freed.
///
/// # Safety
/// The context is the calling thread's.
unsafe fn note_freed(context: *mut ThreadContext, grid: &Grid, freed: bool, address: u64) {
    if let Some(checking) = grid.device.checking.as_ref().filter(|_| freed) {
        // SAFETY: the caller's promise.
        let who = unsafe { Who::of(context) };
        checking.freed(address, Origin::Device(who));
    }
}

/// `void* malloc(size_t size)`
pub(super) unsafe extern "C-unwind" fn malloc(context: *mut ThreadContext, arguments: *const u8, result: *mut u8) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let size: u64 = Arguments::new(arguments).next();
        Caller(context).answer(result, |grid, _| {
            let address = grid.device.heap.take(grid.device, size);
            note(context, grid, address, size);
            address.unwrap_or(0)
        });
    }
}

/// `void free(void* pointer)`; a pointer that `malloc` did not give ends the grid.
pub(super) unsafe extern "C-unwind" fn free(context: *mut ThreadContext, arguments: *const u8, _result: *mut u8) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let address: u64 = Arguments::new(arguments).next();
        let mut freed = false;
        let mut slot = 0u32;
        Caller(context).answer((&raw mut slot).cast(), |grid, _| {
            freed = address == 0 || grid.device.heap.give(address);
            note_freed(context, grid, freed, address);
            0u32
        });
        if !freed {
            crate::exec::fault(context, Fault::LaunchFailure, address);
        }
    }
}

/// `cudaError_t Malloc(void** pointer, size_t size)`: from the same heap.
pub(super) unsafe extern "C-unwind" fn cuda_malloc(context: *mut ThreadContext, arguments: *const u8, result: *mut u8) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let mut arguments = Arguments::new(arguments);
        let (target, size): (u64, u64) = (arguments.next(), arguments.next());
        let mut address = 0;
        Caller(context).status(result, |grid, _| {
            if target == 0 {
                return Err(Status::INVALID_VALUE);
            }
            if size > 0 {
                let taken = grid.device.heap.take(grid.device, size);
                note(context, grid, taken, size);
                address = taken.ok_or(Status::MEMORY_ALLOCATION)?;
            }
            Ok(())
        });
        if target != 0 {
            Caller(context).store(target, address);
        }
    }
}

/// `cudaError_t Free(void* pointer)`: only what device code allocated.
pub(super) unsafe extern "C-unwind" fn cuda_free(context: *mut ThreadContext, arguments: *const u8, result: *mut u8) {
    // SAFETY: called by generated code with this signature.
    unsafe {
        let address: u64 = Arguments::new(arguments).next();
        Caller(context).status(result, |grid, _| {
            let freed = address == 0 || grid.device.heap.give(address);
            note_freed(context, grid, freed, address);
            if freed { Ok(()) } else { Err(Status::INVALID_VALUE) }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_merge_again() {
        let mut region = Region::new(0x1000, 0x100);
        let all: Vec<u64> = (0..16).map(|_| region.take(1).unwrap()).collect();
        assert_eq!(region.take(1), None);
        assert!(all.iter().all(|address| address.is_multiple_of(ALIGNMENT)));
        for index in [3, 1, 2, 0, 15, 5, 4, 6, 7, 14, 8, 10, 9, 13, 12, 11] {
            assert!(region.give(all[index]));
            assert!(!region.give(all[index]));
        }
        assert_eq!(region.free, BTreeMap::from([(0x1000, 0x100)]));
        assert_eq!(region.take(0x101), None);
        assert_eq!(region.take(u64::MAX), None);
        assert_eq!(region.take(0x100), Some(0x1000));
    }
}
