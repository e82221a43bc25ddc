//! Device-visible memory.
//!
//! All of it (device, managed, pinned host memory, module variables, parameter blocks) lives in one reserved range, the
//! *arena*, at addresses that host and device share: unified addressing (CUDA guide, "Unified virtual address space").
//! Generated code tests for the arena inline; what is not allocated in it is a closed page, so a wild or stale pointer
//! faults by itself. Host memory that was registered lies outside and is looked up in a table.

mod blocks;
pub(crate) mod map;
mod mapped;
mod pages;
mod registered;

pub use mapped::{GRANULARITY, Physical};
pub use registered::RegisterError;

use blocks::{Blocks, LARGEST_BLOCK};
use map::{PAGE, Reservation, round_up};
use mapped::Mapped;
use pages::Pages;
use parking_lot::RwLock;
use registered::Registered;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of the arena, and the alignment of its base.
pub const ARENA_SIZE: u64 = 1 << 39;
const ARENA_HINT: u64 = 0x2000_0000_0000;
/// From this size on an allocation is worth huge pages.
const HUGE: u64 = 2 << 20;

/// What an allocation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `cudaMalloc`
    Device,
    /// `cudaMallocManaged`
    Managed,
    /// What programs map themselves (`cuMemMap`); counted as memory, not as a mapping.
    Mapped,
    /// A CUDA array: no pointer of the program's leads there.
    Array,
    /// `cudaHostAlloc`, `cudaMallocHost`. Not counted as device memory.
    PinnedHost,
    /// Variables of a module, the device heap and other things of the device's own.
    Module,
    /// `__constant__` variables of a module.
    Constant,
    /// A kernel's parameter block. Not counted as device memory.
    Parameters,
}

impl Kind {
    fn counts(self) -> bool {
        !matches!(self, Kind::PinnedHost | Kind::Parameters | Kind::Mapped)
    }
}

/// A live allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// First address.
    pub base: u64,
    /// Bytes asked for; for parameter blocks the bytes given.
    pub size: u64,
    /// What it is for.
    pub kind: Kind,
}

/// Nothing is allocated at an address that was to be freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAllocated;

#[derive(Debug)]
struct Table {
    live: BTreeMap<u64, Allocation>,
    pages: Pages,
    mapped: Mapped,
}

/// The device's memory. Every method may be called from any thread.
#[derive(Debug)]
pub struct Memory {
    reservation: Reservation,
    table: RwLock<Table>,
    parameters: Blocks,
    registered: Registered,
    used: AtomicU64,
    limit: u64,
}

impl Memory {
    /// Reserves an arena whose device memory is limited to `limit` bytes.
    ///
    /// # Errors
    /// The operating system's, when it has no such range of addresses.
    pub fn new(limit: u64) -> io::Result<Arc<Memory>> {
        let reservation = Reservation::new(ARENA_HINT, ARENA_SIZE, ARENA_SIZE)?;
        let base = reservation.base();
        // The first page stays closed: base itself is nobody's address.
        let start = base + Blocks::REGION + PAGE;
        let pages = Pages::new(start, reservation.end() - start);
        Ok(Arc::new(Memory {
            table: RwLock::new(Table { live: BTreeMap::new(), pages, mapped: Mapped::default() }),
            parameters: Blocks::new(base),
            registered: Registered::new(),
            used: AtomicU64::new(0),
            limit,
            reservation,
        }))
    }

    /// What the device has (`of_device`), or what this machine has available if that is less.
    pub fn default_limit(of_device: u64) -> u64 {
        let available = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
            line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
        });
        available.map_or(of_device, |kib| (kib << 10).min(of_device))
    }

    /// The address range that generated code tests for.
    pub fn arena(&self) -> hotfire_jit::Arena {
        hotfire_jit::Arena { base: self.reservation.base(), size: self.reservation.size() }
    }

    /// Whether `address` lies in the arena, allocated or not.
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.reservation.base()) < self.reservation.size()
    }

    /// Whether `address` lies where small parameter blocks are.
    pub fn is_parameter(&self, address: u64) -> bool {
        self.parameters.contains(address)
    }

    /// Allocates `size` bytes at a multiple of `align` (a power of two). Fresh pages read as zero; parameter blocks hold what
    /// they held. `None` when `size` is 0, `align` no power of two, or the device or the machine is out of memory.
    pub fn alloc(&self, kind: Kind, size: u64, align: u64) -> Option<u64> {
        if size == 0 || size > self.reservation.size() || !align.is_power_of_two() || align > self.reservation.size() {
            return None;
        }
        if kind == Kind::Parameters
            && size.max(align) <= LARGEST_BLOCK
            && let Ok(block) = self.parameters.take(size.max(align), &self.reservation)
        {
            return Some(block);
        }
        let whole = round_up(size, PAGE);
        if kind.counts() {
            let take = |used: u64| used.checked_add(whole).filter(|&used| used <= self.limit);
            self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        }
        let base = self.take_pages(kind, size, whole, align);
        if base.is_none() && kind.counts() {
            self.used.fetch_sub(whole, Ordering::Relaxed);
        }
        base
    }

    fn take_pages(&self, kind: Kind, size: u64, whole: u64, align: u64) -> Option<u64> {
        let huge = whole >= HUGE;
        let align = align.max(if huge { HUGE } else { PAGE });
        let mut table = self.table.write();
        let base = table.pages.take(whole, align)?;
        if self.reservation.open(base, whole).is_err() {
            table.pages.give(base, whole);
            return None;
        }
        table.live.insert(base, Allocation { base, size, kind });
        drop(table);
        if huge {
            self.reservation.prefer_huge(base, whole);
        }
        Some(base)
    }

    /// Frees the allocation that starts at `address`: its pages fault from now on, and its address is reused late. The caller
    /// answers for no grid using it any more.
    ///
    /// # Errors
    /// [`NotAllocated`] if none starts there.
    pub fn free(&self, address: u64) -> Result<Allocation, NotAllocated> {
        if self.parameters.contains(address) {
            let (base, size) = self.parameters.find(address).ok_or(NotAllocated)?;
            let given = self.parameters.give(address);
            return given.then_some(Allocation { base, size, kind: Kind::Parameters }).ok_or(NotAllocated);
        }
        let mut table = self.table.write();
        if table.live.get(&address).is_none_or(|allocation| allocation.kind == Kind::Mapped) {
            return Err(NotAllocated);
        }
        let allocation = table.live.remove(&address).ok_or(NotAllocated)?;
        let whole = round_up(allocation.size, PAGE);
        // A range that cannot be closed (too many separate ranges) is not given out again: it stays open, but never as
        // somebody else's memory.
        if self.reservation.close(address, whole).is_ok() {
            table.pages.give(address, whole);
        }
        drop(table);
        if allocation.kind.counts() {
            self.used.fetch_sub(whole, Ordering::Relaxed);
        }
        Ok(allocation)
    }

    /// The live allocation that `address` lies in (parameter blocks: also a free one).
    pub fn find(&self, address: u64) -> Option<Allocation> {
        if !self.contains(address) {
            return None;
        }
        if self.parameters.contains(address) {
            let (base, size) = self.parameters.find(address)?;
            return Some(Allocation { base, size, kind: Kind::Parameters });
        }
        let table = self.table.read();
        let (_, &allocation) = table.live.range(..=address).next_back()?;
        (address - allocation.base < allocation.size).then_some(allocation)
    }

    /// All live allocations but parameter blocks, by address.
    pub fn allocations(&self) -> Vec<Allocation> {
        self.table.read().live.values().copied().collect()
    }

    /// Registers host memory outside the arena (`cudaHostRegister`).
    ///
    /// # Errors
    /// See [`RegisterError`].
    pub fn register_host(&self, base: u64, size: u64) -> Result<(), RegisterError> {
        let end = base.checked_add(size).ok_or(RegisterError::Invalid)?;
        if base < self.reservation.end() && end > self.reservation.base() {
            return Err(RegisterError::Overlap);
        }
        self.registered.add(base, size)
    }

    /// Unregisters the host range that starts at `base`; returns its size.
    ///
    /// # Errors
    /// [`RegisterError::NotRegistered`].
    pub fn unregister_host(&self, base: u64) -> Result<u64, RegisterError> {
        self.registered.remove(base)
    }

    /// The registered host range around `address`: start and size.
    pub fn find_registered(&self, address: u64) -> Option<(u64, u64)> {
        self.registered.find(address)
    }

    /// All registered host ranges: start and size.
    pub fn registered(&self) -> Vec<(u64, u64)> {
        self.registered.all()
    }

    /// Whether `size` bytes at `address` lie in registered host memory. Takes no lock.
    pub fn is_registered(&self, address: u64, size: u64) -> bool {
        self.registered.covers(address, size)
    }

    /// Whether device code may touch all of `size` bytes at `address`: one allocation or one registered range covers them.
    pub fn is_device_accessible(&self, address: u64, size: u64) -> bool {
        match self.room(address) {
            Some(room) => size <= room,
            None => self.is_registered(address, size),
        }
    }

    /// Bytes of device memory in use.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Bytes of device memory there are.
    pub fn limit(&self) -> u64 {
        self.limit
    }
}

#[cfg(test)]
mod tests;
