//! Memory that programs map themselves (CUDA Driver API, "Virtual Memory Management"): addresses, memory, and which lies where.
//!
//! Memory is a file without a name, so that the same bytes may appear at several addresses. A mapping is closed until access is given;
//! only then it counts as an allocation ([`Kind::Mapped`]), and neighbours in one range count as one.

use super::{Allocation, Kind, Memory, NotAllocated};
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Bytes that sizes, offsets and addresses are multiples of.
pub const GRANULARITY: u64 = 2 << 20;

/// Memory without an address.
#[derive(Debug)]
pub struct Physical {
    file: OwnedFd,
    size: u64,
    /// Whose memory it is: the bytes go back when nobody holds it any more.
    memory: Arc<Memory>,
}

impl Physical {
    /// Takes `size` bytes, which read as zero. `None` when the device or the machine has not so many.
    pub fn new(memory: &Arc<Memory>, size: u64) -> Option<Arc<Self>> {
        let take = |used: u64| used.checked_add(size).filter(|&used| used <= memory.limit);
        memory.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        let file = unnamed(size);
        if file.is_none() {
            memory.used.fetch_sub(size, Ordering::Relaxed);
        }
        Some(Arc::new(Self { file: file?, size, memory: Arc::clone(memory) }))
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        self.memory.used.fetch_sub(self.size, Ordering::Relaxed);
    }
}

/// A file of that size that no folder holds.
fn unnamed(size: u64) -> Option<OwnedFd> {
    // SAFETY: a terminated name; the descriptor is new, and nobody else's.
    let file = unsafe {
        let descriptor = libc::memfd_create(c"hotfire".as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return None;
        }
        OwnedFd::from_raw_fd(descriptor)
    };
    // SAFETY: an open descriptor.
    let sized = unsafe { libc::ftruncate(file.as_raw_fd(), i64::try_from(size).ok()?) };
    (sized == 0).then_some(file)
}

/// One mapping.
#[derive(Debug)]
struct Mapping {
    size: u64,
    physical: Arc<Physical>,
    /// Access was given.
    open: bool,
}

/// Ranges of addresses that programs reserved, and what they mapped there.
#[derive(Debug, Default)]
pub(super) struct Mapped {
    reserved: BTreeMap<u64, u64>,
    mappings: BTreeMap<u64, Mapping>,
}

impl Mapped {
    fn is_reserved(&self, base: u64, size: u64) -> bool {
        let found = self.reserved.range(..=base).next_back();
        found.is_some_and(|(&start, &length)| base - start <= length && size <= length - (base - start))
    }

    fn is_free(&self, base: u64, size: u64) -> bool {
        let before = self.mappings.range(..=base).next_back();
        let behind = self.mappings.range((Excluded(base), Unbounded)).next();
        before.is_none_or(|(&start, mapping)| start + mapping.size <= base)
            && behind.is_none_or(|(&start, _)| start >= base + size)
    }

    /// The mappings that a range consists of; `None` unless it is made of whole ones without a gap.
    fn whole(&self, base: u64, size: u64) -> Option<Vec<u64>> {
        let mut at = base;
        let mut found = Vec::new();
        while at < base.checked_add(size)? {
            found.push(at);
            at += self.mappings.get(&at)?.size;
        }
        (at == base + size && !found.is_empty()).then_some(found)
    }
}

fn fits(size: u64) -> bool {
    size > 0 && size.is_multiple_of(GRANULARITY)
}

impl Memory {
    /// Reserves addresses. `None` when `size` or `align` are none, or there are not so many.
    pub fn reserve(&self, size: u64, align: u64) -> Option<u64> {
        let align = align.max(GRANULARITY);
        if !fits(size) || size > self.reservation.size() || !align.is_power_of_two() || align > self.reservation.size()
        {
            return None;
        }
        let mut table = self.table.write();
        let base = table.pages.take(size, align)?;
        table.mapped.reserved.insert(base, size);
        Some(base)
    }

    /// Gives addresses back where nothing is mapped.
    ///
    /// # Errors
    /// [`NotAllocated`] if this is no reserved range, or not an empty one.
    pub fn unreserve(&self, base: u64, size: u64) -> Result<(), NotAllocated> {
        let mut table = self.table.write();
        if table.mapped.reserved.get(&base) != Some(&size) || !table.mapped.is_free(base, size) {
            return Err(NotAllocated);
        }
        table.mapped.reserved.remove(&base);
        table.pages.give(base, size);
        Ok(())
    }

    /// Maps `size` bytes of memory from `offset` on, without access.
    ///
    /// # Errors
    /// [`NotAllocated`] unless the addresses are reserved and free, and the memory has so many bytes.
    pub fn map(&self, base: u64, size: u64, physical: &Arc<Physical>, offset: u64) -> Result<(), NotAllocated> {
        let mut table = self.table.write();
        let inside = offset.checked_add(size).is_some_and(|end| end <= physical.size);
        let aligned = base.is_multiple_of(GRANULARITY) && offset.is_multiple_of(GRANULARITY);
        if !fits(size)
            || !inside
            || !aligned
            || !table.mapped.is_reserved(base, size)
            || !table.mapped.is_free(base, size)
        {
            return Err(NotAllocated);
        }
        self.reservation.map_file(base, size, physical.file.as_raw_fd(), offset).map_err(|_| NotAllocated)?;
        table.mapped.mappings.insert(base, Mapping { size, physical: Arc::clone(physical), open: false });
        Ok(())
    }

    /// Gives access to whole mappings, or takes it. Answers those that changed.
    ///
    /// # Errors
    /// [`NotAllocated`] if the range is not made of whole mappings.
    pub fn set_access(&self, base: u64, size: u64, open: bool) -> Result<Vec<(u64, u64)>, NotAllocated> {
        let mut table = self.table.write();
        let table = &mut *table;
        let mut changed = Vec::new();
        for base in table.mapped.whole(base, size).ok_or(NotAllocated)? {
            let Some(mapping) = table.mapped.mappings.get_mut(&base).filter(|mapping| mapping.open != open) else {
                continue;
            };
            self.reservation.set_open(base, mapping.size, open).map_err(|_| NotAllocated)?;
            mapping.open = open;
            if open {
                table.live.insert(base, Allocation { base, size: mapping.size, kind: Kind::Mapped });
            } else {
                table.live.remove(&base);
            }
            changed.push((base, mapping.size));
        }
        Ok(changed)
    }

    /// Takes whole mappings away. Answers those that had access.
    ///
    /// # Errors
    /// [`NotAllocated`] if the range is not made of whole mappings.
    pub fn unmap(&self, base: u64, size: u64) -> Result<Vec<u64>, NotAllocated> {
        let mut table = self.table.write();
        let table = &mut *table;
        let mut closed = Vec::new();
        for base in table.mapped.whole(base, size).ok_or(NotAllocated)? {
            let Some(mapping) = table.mapped.mappings.remove(&base) else { continue };
            // Addresses that the system does not give back as they were are not used again for memory of another kind.
            let _ = self.reservation.unmap_file(base, mapping.size);
            if mapping.open {
                table.live.remove(&base);
                closed.push(base);
            }
        }
        Ok(closed)
    }

    /// Whether access was given to what is mapped at an address; `None` where nothing is.
    pub fn has_access(&self, address: u64) -> Option<bool> {
        let table = self.table.read();
        let (&base, mapping) = table.mapped.mappings.range(..=address).next_back()?;
        (address - base < mapping.size).then_some(mapping.open)
    }

    /// The memory that is mapped at an address.
    pub fn physical_at(&self, address: u64) -> Option<Arc<Physical>> {
        let table = self.table.read();
        let (&base, mapping) = table.mapped.mappings.range(..=address).next_back()?;
        (address - base < mapping.size).then(|| Arc::clone(&mapping.physical))
    }

    /// Unmaps everything and gives all addresses back.
    pub fn forget_mapped(&self) {
        let ranges: Vec<_> = self.table.read().mapped.mappings.iter().map(|(&base, it)| (base, it.size)).collect();
        for (base, size) in ranges {
            let _ = self.unmap(base, size);
        }
        let ranges: Vec<_> = self.table.read().mapped.reserved.iter().map(|(&base, &size)| (base, size)).collect();
        for (base, size) in ranges {
            let _ = self.unreserve(base, size);
        }
    }

    /// Bytes from an address to the end of what is allocated there, neighbouring mappings together.
    pub fn room(&self, address: u64) -> Option<u64> {
        let found = self.find(address)?;
        let mut end = found.base + found.size;
        if found.kind == Kind::Mapped {
            let table = self.table.read();
            while let Some(next) = table.live.get(&end).filter(|next| next.kind == Kind::Mapped) {
                end += next.size;
            }
        }
        Some(end - address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: u64 = GRANULARITY;

    fn memory() -> Arc<Memory> {
        Memory::new(64 << 20).expect("there are addresses")
    }

    #[test]
    fn the_same_bytes_appear_at_both_addresses() {
        let memory = memory();
        let physical = Physical::new(&memory, ONE).expect("there is memory");
        assert_eq!(memory.used(), ONE);
        let base = memory.reserve(4 * ONE, 0).expect("there are addresses");
        for at in [base, base + 2 * ONE] {
            memory.map(at, ONE, &physical, 0).expect("it is free");
            assert_eq!(memory.find(at), None, "closed memory is none");
            assert_eq!(memory.set_access(at, ONE, true), Ok(vec![(at, ONE)]));
        }
        // SAFETY: both are open.
        unsafe {
            (base as *mut u32).write_volatile(7);
            assert_eq!(((base + 2 * ONE) as *const u32).read_volatile(), 7);
        }
        assert_eq!(memory.unreserve(base, 4 * ONE), Err(NotAllocated), "something is mapped");
        drop(physical);
        assert_eq!(memory.used(), ONE, "mappings hold it");
        assert_eq!(memory.unmap(base, ONE), Ok(vec![base]));
        assert_eq!(memory.unmap(base + 2 * ONE, ONE), Ok(vec![base + 2 * ONE]));
        assert_eq!(memory.used(), 0);
        assert_eq!(memory.unreserve(base, 4 * ONE), Ok(()));
    }

    #[test]
    fn neighbours_are_one() {
        let memory = memory();
        let base = memory.reserve(3 * ONE, 0).expect("there are addresses");
        for n in 0..3 {
            let physical = Physical::new(&memory, ONE).expect("there is memory");
            memory.map(base + n * ONE, ONE, &physical, 0).expect("it is free");
        }
        assert_eq!(memory.set_access(base, 2 * ONE, true).map(|changed| changed.len()), Ok(2));
        assert_eq!(memory.room(base + 5), Some(2 * ONE - 5));
        assert!(memory.is_device_accessible(base, 2 * ONE) && !memory.is_device_accessible(base, 2 * ONE + 1));
        assert_eq!(memory.set_access(base + ONE / 2, ONE, true), Err(NotAllocated), "no part of a mapping");
        assert_eq!(memory.map(base, ONE, &Physical::new(&memory, ONE).expect("there is memory"), 0), Err(NotAllocated));
        assert_eq!((memory.has_access(base), memory.has_access(base + 2 * ONE)), (Some(true), Some(false)));
        assert_eq!(memory.unmap(base, ONE / 2), Err(NotAllocated));
        memory.forget_mapped();
        assert_eq!((memory.used(), memory.room(base)), (0, None));
    }

    #[test]
    fn sizes_are_multiples_and_memory_ends() {
        let memory = memory();
        assert_eq!(memory.reserve(ONE + 4096, 0), None);
        assert!(Physical::new(&memory, 65 << 20).is_none());
        assert_eq!(memory.used(), 0);
        let base = memory.reserve(2 * ONE, 0).expect("there are addresses");
        let physical = Physical::new(&memory, ONE).expect("there is memory");
        assert_eq!(memory.map(base, 2 * ONE, &physical, 0), Err(NotAllocated));
        assert_eq!(memory.map(base, ONE, &physical, ONE), Err(NotAllocated));
        assert_eq!(memory.map(base + 2 * ONE, ONE, &physical, 0), Err(NotAllocated), "behind the range");
    }
}
