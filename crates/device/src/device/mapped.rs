//! Memory that programs map themselves (CUDA Driver API, "Virtual Memory Management").

use super::Device;
use crate::checking::Class;
use crate::memory::{GRANULARITY, Physical};
use crate::status::Status;
use std::sync::Arc;

impl Device {
    /// `cuMemAddressReserve`
    ///
    /// # Errors
    /// 1 for a size or an alignment that is none; 2 when there are not so many addresses.
    pub fn reserve(&self, size: u64, align: u64) -> Result<u64, Status> {
        if size == 0 || !size.is_multiple_of(GRANULARITY) || (align != 0 && !align.is_power_of_two()) {
            return Err(Status::INVALID_VALUE);
        }
        self.memory().reserve(size, align).ok_or(Status::MEMORY_ALLOCATION)
    }

    /// `cuMemAddressFree`
    pub fn unreserve(&self, base: u64, size: u64) -> Status {
        self.memory().unreserve(base, size).map_err(|_| Status::INVALID_VALUE).into()
    }

    /// `cuMemCreate`
    ///
    /// # Errors
    /// 1 for a size that is no multiple of the granularity; 2 when there is no room; the sticky error.
    pub fn physical(&self, size: u64) -> Result<Arc<Physical>, Status> {
        self.healthy()?;
        if size == 0 || !size.is_multiple_of(GRANULARITY) {
            return Err(Status::INVALID_VALUE);
        }
        if size > self.mem_info().0 {
            return Err(Status::MEMORY_ALLOCATION);
        }
        Physical::new(self.memory(), size).ok_or(Status::MEMORY_ALLOCATION)
    }

    /// `cuMemMap`
    pub fn map(&self, base: u64, size: u64, physical: &Arc<Physical>, offset: u64) -> Status {
        self.memory().map(base, size, physical, offset).map_err(|_| Status::INVALID_VALUE).into()
    }

    /// `cuMemSetAccess`: for reading and writing, or none.
    pub fn set_access(&self, base: u64, size: u64, open: bool) -> Status {
        if !open && let Err(status) = self.drain().ok() {
            return status;
        }
        match self.memory().set_access(base, size, open) {
            Ok(changed) => {
                for (base, size) in changed {
                    if open { self.note_made(Class::Mapped, base, size) } else { self.note_freed(base) }
                }
                Status::SUCCESS
            }
            Err(_) => Status::INVALID_VALUE,
        }
    }

    /// `cuMemUnmap`: waits for all work first.
    pub fn unmap(&self, base: u64, size: u64) -> Status {
        if let Err(status) = self.drain().ok() {
            return status;
        }
        match self.memory().unmap(base, size) {
            Ok(closed) => {
                closed.into_iter().for_each(|base| self.note_freed(base));
                Status::SUCCESS
            }
            Err(_) => Status::INVALID_VALUE,
        }
    }

    /// `cuMemGetAccess`: whether there is access; `None` where nothing is mapped.
    pub fn has_access(&self, address: u64) -> Option<bool> {
        self.memory().has_access(address)
    }

    /// The memory that is mapped at an address.
    pub fn physical_at(&self, address: u64) -> Option<Arc<Physical>> {
        self.memory().physical_at(address)
    }
}
