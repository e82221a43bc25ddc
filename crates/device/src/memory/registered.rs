//! Registered host memory (`cudaHostRegister`): ordinary host ranges that device code may touch.
//!
//! Generated code that leaves the arena asks here on every access, from all workers at once, while the host may register
//! more. So the sorted table is read under a sequence lock: readers write nothing and retry when a change overlapped.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};

/// Ranges that may be registered at once.
const CAPACITY: usize = 16 << 10;

/// Why a range was not registered or unregistered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterError {
    /// Part of it is registered already, or lies in device memory (`cudaErrorHostMemoryAlreadyRegistered`).
    Overlap,
    /// Nothing registered starts there (`cudaErrorHostMemoryNotRegistered`).
    NotRegistered,
    /// Empty, or wraps around the address space (`cudaErrorInvalidValue`).
    Invalid,
    /// The table is full (`cudaErrorMemoryAllocation`).
    Full,
}

#[derive(Debug)]
struct Range {
    start: AtomicU64,
    end: AtomicU64,
}

/// Disjoint ranges, sorted by address.
#[derive(Debug)]
pub struct Registered {
    /// Odd while a change is under way.
    sequence: AtomicUsize,
    count: AtomicUsize,
    ranges: Box<[Range]>,
    change: Mutex<()>,
}

impl Registered {
    /// An empty table.
    pub fn new() -> Self {
        let ranges = (0..CAPACITY).map(|_| Range { start: AtomicU64::new(0), end: AtomicU64::new(0) }).collect();
        Self { sequence: AtomicUsize::new(0), count: AtomicUsize::new(0), ranges, change: Mutex::new(()) }
    }

    /// Index of the first range that ends behind `address`, among the first `count`.
    fn position(&self, address: u64, count: usize) -> usize {
        self.ranges[..count.min(CAPACITY)].partition_point(|range| range.end.load(Ordering::Relaxed) <= address)
    }

    /// The registered range around `address`: start and size.
    pub fn find(&self, address: u64) -> Option<(u64, u64)> {
        loop {
            let before = self.sequence.load(Ordering::Acquire);
            let count = self.count.load(Ordering::Relaxed);
            if count == 0 {
                return None;
            }
            let at = self.position(address, count);
            let found = self.ranges[..count.min(CAPACITY)]
                .get(at)
                .map(|range| (range.start.load(Ordering::Relaxed), range.end.load(Ordering::Relaxed)));
            fence(Ordering::Acquire);
            if before.is_multiple_of(2) && self.sequence.load(Ordering::Relaxed) == before {
                return found.filter(|&(start, _)| start <= address).map(|(start, end)| (start, end - start));
            }
            std::hint::spin_loop();
        }
    }

    /// Whether all of `size` bytes at `address` lie in one registered range.
    pub fn covers(&self, address: u64, size: u64) -> bool {
        self.find(address).is_some_and(|(start, length)| size <= length - (address - start))
    }

    /// All ranges: start and size.
    pub fn all(&self) -> Vec<(u64, u64)> {
        let _change = self.change.lock();
        let ranges = self.ranges[..self.count.load(Ordering::Relaxed).min(CAPACITY)].iter();
        let bounds = ranges.map(|range| (range.start.load(Ordering::Relaxed), range.end.load(Ordering::Relaxed)));
        bounds.map(|(start, end)| (start, end - start)).collect()
    }

    /// Adds a range.
    ///
    /// # Errors
    /// See [`RegisterError`].
    pub fn add(&self, start: u64, size: u64) -> Result<(), RegisterError> {
        let end = start.checked_add(size).filter(|_| size > 0).ok_or(RegisterError::Invalid)?;
        let _change = self.change.lock();
        let count = self.count.load(Ordering::Relaxed);
        let at = self.position(start, count);
        if at < count && self.ranges[at].start.load(Ordering::Relaxed) < end {
            return Err(RegisterError::Overlap);
        }
        if count == CAPACITY {
            return Err(RegisterError::Full);
        }
        self.write(|| {
            for i in (at..count).rev() {
                self.move_entry(i, i + 1);
            }
            self.ranges[at].start.store(start, Ordering::Relaxed);
            self.ranges[at].end.store(end, Ordering::Relaxed);
            self.count.store(count + 1, Ordering::Relaxed);
        });
        Ok(())
    }

    /// Removes the range that starts at `start`; returns its size.
    ///
    /// # Errors
    /// [`RegisterError::NotRegistered`].
    pub fn remove(&self, start: u64) -> Result<u64, RegisterError> {
        let _change = self.change.lock();
        let count = self.count.load(Ordering::Relaxed);
        let at = self.position(start, count);
        if at == count || self.ranges[at].start.load(Ordering::Relaxed) != start {
            return Err(RegisterError::NotRegistered);
        }
        let size = self.ranges[at].end.load(Ordering::Relaxed) - start;
        self.write(|| {
            for i in at + 1..count {
                self.move_entry(i, i - 1);
            }
            self.count.store(count - 1, Ordering::Relaxed);
        });
        Ok(size)
    }

    fn move_entry(&self, from: usize, to: usize) {
        self.ranges[to].start.store(self.ranges[from].start.load(Ordering::Relaxed), Ordering::Relaxed);
        self.ranges[to].end.store(self.ranges[from].end.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    fn write(&self, change: impl FnOnce()) {
        let sequence = self.sequence.load(Ordering::Relaxed);
        self.sequence.store(sequence + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        change();
        self.sequence.store(sequence + 2, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_at_their_edges() {
        let table = Registered::new();
        table.add(0x3000, 0x1000).unwrap();
        table.add(0x1000, 0x800).unwrap();
        assert!(table.covers(0x1000, 0x800) && !table.covers(0x1000, 0x801) && !table.covers(0x1800, 1));
        assert!(table.covers(0x3fff, 1) && !table.covers(0x4000, 1) && !table.covers(0x2fff, 1));
        assert_eq!(table.add(0x17ff, 1), Err(RegisterError::Overlap));
        assert_eq!(table.add(0x2000, 0x1001), Err(RegisterError::Overlap));
        assert_eq!(table.add(0x2000, 0), Err(RegisterError::Invalid));
        assert_eq!(table.add(u64::MAX, 2), Err(RegisterError::Invalid));
        assert_eq!(table.remove(0x1001), Err(RegisterError::NotRegistered));
        assert_eq!(table.remove(0x1000), Ok(0x800));
        assert!(!table.covers(0x1000, 1) && table.covers(0x3000, 0x1000));
    }

    #[test]
    fn readers_never_miss_a_range_while_others_come_and_go() {
        let table = Registered::new();
        table.add(0x9000, 0x1000).unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 0..20_000u64 {
                    table.add(0x1000 * (round % 8), 0x100).unwrap();
                    table.remove(0x1000 * (round % 8)).unwrap();
                }
                done.store(true, Ordering::Relaxed);
            });
            while !done.load(Ordering::Relaxed) {
                assert_eq!(table.find(0x9800), Some((0x9000, 0x1000)));
            }
        });
    }
}
