//! Shadow memory: for each word of four bytes who wrote it last, and two of those who read it since.
//!
//! 8 bytes a word for the writer, 8 for a reader, 8 for a second one; pages of a plane that nobody touched cost nothing. A word whose bytes
//! have different histories is split: an entry of 64 bytes more, until it is written as a whole again.

mod plane;
mod split;

pub use plane::Plane;
pub use split::{ByteCell, Splits};

use crate::stamp::Stamp;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;

/// The shadow of one word.
#[derive(Clone, Copy)]
pub struct Cell {
    /// Who wrote last.
    pub writer: *mut Stamp,
    /// Who read since.
    pub reader: *mut Stamp,
    /// Who else read since.
    pub second: *mut Stamp,
}

/// From so many bytes on, a range is worth huge pages.
const LARGE: u64 = 4 << 20;

/// The planes of one range of addresses.
pub struct Region {
    base: u64,
    size: u64,
    planes: [Plane; 3],
}

impl Region {
    /// The shadow of `size` bytes at `base`; a multiple of 4 both.
    ///
    /// # Errors
    /// The operating system's.
    pub fn new(base: u64, size: u64) -> io::Result<Region> {
        let plane = || Plane::new(size / 4);
        Ok(Region { base, size, planes: [plane()?, plane()?, plane()?] })
    }

    /// Does the address lie inside?
    #[inline(always)]
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.size
    }

    /// The shadow of the word around an address inside.
    #[inline(always)]
    pub fn cell(&self, address: u64) -> Cell {
        let index = (address - self.base) / 4;
        let [writer, reader, second] = &self.planes;
        Cell { writer: writer.at(index), reader: reader.at(index), second: second.at(index) }
    }

    /// Forgets all accesses to a range, which is going to be used.
    pub fn clear(&self, address: u64, bytes: u64) {
        let first = (address - self.base) / 4;
        let words = (address - self.base + bytes).div_ceil(4) - first;
        self.planes.iter().for_each(|plane| plane.clear(first, words));
        if bytes >= LARGE {
            // The third plane is seldom used, and then here and there.
            self.planes[..2].iter().for_each(|plane| plane.prefer_huge(first, words));
        }
    }

    /// Bytes of a range that were touched, and bytes that its shadow takes.
    pub fn usage(&self, address: u64, bytes: u64) -> (u64, u64) {
        let first = (address - self.base) / 4;
        let words = (address - self.base + bytes).div_ceil(4) - first;
        let mut touched = vec![0u64; words.div_ceil(64) as usize];
        let mark = |word: u64, touched: &mut Vec<u64>| touched[(word / 64) as usize] |= 1 << (word % 64);
        let shadow = self.planes.iter().map(|plane| plane.usage(first, words, |word| mark(word, &mut touched))).sum();
        (touched.iter().map(|bits| u64::from(bits.count_ones()) * 4).sum(), shadow)
    }
}

/// Bytes of a piece of registered host memory that has planes of its own.
const PIECE: u64 = 64 << 10;

/// The shadow of all memory that the device sees but shared memory.
pub struct Shadow {
    /// The arena's.
    pub arena: Region,
    /// Registered host memory, by piece.
    pieces: HashMap<u64, Region>,
    /// Words whose bytes differ.
    pub splits: Splits,
}

impl Shadow {
    /// The shadow of an arena.
    ///
    /// # Errors
    /// The operating system's.
    pub fn new(base: u64, size: u64) -> io::Result<Shadow> {
        Ok(Shadow { arena: Region::new(base, size)?, pieces: HashMap::new(), splits: Splits::default() })
    }

    /// The shadow of the word around any address.
    ///
    /// # Errors
    /// The operating system's, when there is no memory for it.
    pub fn cell(&mut self, address: u64) -> io::Result<Cell> {
        if self.arena.contains(address) {
            return Ok(self.arena.cell(address));
        }
        let base = address & !(PIECE - 1);
        let piece = match self.pieces.entry(base) {
            Entry::Occupied(piece) => piece.into_mut(),
            Entry::Vacant(place) => place.insert(Region::new(base, PIECE)?),
        };
        Ok(piece.cell(address))
    }

    /// Forgets all accesses to a range.
    pub fn clear(&mut self, address: u64, bytes: u64) {
        if self.arena.contains(address) {
            self.arena.clear(address, bytes);
        } else {
            self.pieces.retain(|&base, _| base + PIECE <= address || base >= address + bytes);
        }
    }
}

/// The shadow of one block's shared memory. Accesses before `since` belong to blocks that had the window before.
#[derive(Default)]
pub struct SharedShadow {
    pub(crate) cells: Vec<[Stamp; 3]>,
}

impl SharedShadow {
    /// For so many bytes; what is there stays.
    pub fn resize(&mut self, bytes: u32) {
        self.cells.resize(bytes.div_ceil(4) as usize, [Stamp::NONE; 3]);
    }

    /// The stamps of the words, each word's writer first. Until the next [`resize`](Self::resize).
    pub fn words(&self) -> *const [Stamp; 3] {
        self.cells.as_ptr()
    }

    /// Forgets all.
    pub fn clear(&mut self, splits: &mut Splits) {
        self.cells.iter().filter_map(|[writer, ..]| writer.split_index()).for_each(|index| splits.remove(index));
        self.cells.fill([Stamp::NONE; 3]);
    }

    /// The shadow of the word around an offset.
    #[inline(always)]
    pub fn cell(&mut self, offset: u32) -> Option<Cell> {
        let [writer, reader, second] = self.cells.get_mut(offset as usize / 4)?;
        Some(Cell { writer, reader, second })
    }
}
