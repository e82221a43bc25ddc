//! Parameter blocks: small, short-lived, several hundred thousand a second.
//!
//! A region of the arena is cut into chunks, each chunk into blocks of one size class; the class of a chunk is a byte in a
//! table, so that freeing or finding a block needs no search. Blocks are reused last in, first out: they are warm.

use super::map::Reservation;
use parking_lot::Mutex;
use std::io;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

const SMALLEST: u32 = 6;
const LARGEST: u32 = 15;
const CLASSES: usize = (LARGEST - SMALLEST + 1) as usize;
const CHUNK: u64 = 256 << 10;

/// Bytes of the largest block; larger ones need pages of their own.
pub const LARGEST_BLOCK: u64 = 1 << LARGEST;

/// The parameter blocks of a region. Sizes are powers of two from 64 bytes on, and each block is aligned to its size.
#[derive(Debug)]
pub struct Blocks {
    base: u64,
    free: [Mutex<Vec<u64>>; CLASSES],
    /// Class of each chunk plus one; 0 while unused.
    classes: Box<[AtomicU8]>,
    chunks: AtomicU32,
}

impl Blocks {
    /// Bytes of address space that `Blocks` manages.
    pub const REGION: u64 = 8 << 30;

    /// Manages `base .. base + REGION`.
    pub fn new(base: u64) -> Self {
        let classes = (0..Self::REGION / CHUNK).map(|_| AtomicU8::new(0)).collect();
        Self { base, free: Default::default(), classes, chunks: AtomicU32::new(0) }
    }

    /// Whether `address` lies in the region.
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < Self::REGION
    }

    /// Takes a block of at least `size` bytes, at most [`LARGEST_BLOCK`].
    ///
    /// # Errors
    /// The operating system's, or out of memory when the region is full.
    pub fn take(&self, size: u64, memory: &Reservation) -> io::Result<u64> {
        debug_assert!(size <= LARGEST_BLOCK);
        let class = size.max(1).next_power_of_two().trailing_zeros().max(SMALLEST) - SMALLEST;
        let mut free = self.free[class as usize].lock();
        if let Some(block) = free.pop() {
            return Ok(block);
        }
        let chunk = self.chunks.fetch_add(1, Ordering::Relaxed);
        let Some(entry) = self.classes.get(chunk as usize) else {
            self.chunks.fetch_sub(1, Ordering::Relaxed);
            return Err(io::ErrorKind::OutOfMemory.into());
        };
        let start = self.base + u64::from(chunk) * CHUNK;
        memory.open(start, CHUNK)?;
        entry.store(class as u8 + 1, Ordering::Release);
        let size = 1u64 << (class + SMALLEST);
        free.extend((1..CHUNK / size).rev().map(|i| start + i * size));
        Ok(start)
    }

    /// The block that `address` lies in: its start and size. `None` where no chunk is open.
    pub fn find(&self, address: u64) -> Option<(u64, u64)> {
        let offset = address.wrapping_sub(self.base);
        let class = self.classes.get((offset / CHUNK) as usize)?.load(Ordering::Acquire).checked_sub(1)?;
        let size = 1u64 << (u32::from(class) + SMALLEST);
        Some((address & !(size - 1), size))
    }

    /// Gives a block back. `false` if `address` is not the start of one.
    pub fn give(&self, address: u64) -> bool {
        match self.find(address) {
            Some((start, size)) if start == address => {
                self.free[(size.trailing_zeros() - SMALLEST) as usize].lock().push(address);
                true
            }
            _ => false,
        }
    }
}
