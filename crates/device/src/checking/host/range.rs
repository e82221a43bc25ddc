//! One range under watch: which of its pages are closed.
//!
//! Pages are closed and opened in chunks of at most 2 MiB, so that what a kernel does not touch is never opened for it, and huge
//! pages stay whole.

use crate::memory::map::PAGE;

/// Bytes of a chunk, and what its end is a multiple of.
pub const CHUNK: u64 = 2 << 20;
/// How often a page traps before it opens until the next synchronisation.
pub const LIMIT: u16 = 4096;

/// A range of whole pages.
pub struct Range {
    pub start: u64,
    pub end: u64,
    /// Protection while open.
    pub protection: i32,
    /// Whether work that was submitted may touch it, or did and was not waited for.
    pub owned: bool,
    /// Which chunks are closed.
    closed: Vec<bool>,
    /// How many are.
    pub closed_chunks: usize,
    /// How often each page trapped since the last synchronisation.
    traps: Vec<u16>,
    trapped: bool,
    /// Pages that trapped too often.
    pub worn: usize,
}

impl Range {
    /// An open range. `None` if there is no whole page in it.
    pub fn new(start: u64, size: u64, protection: i32) -> Option<Self> {
        let end = start.checked_add(size)? / PAGE * PAGE;
        let start = start.checked_next_multiple_of(PAGE)?;
        if start >= end {
            return None;
        }
        let chunks = (end - 1) / CHUNK - start / CHUNK + 1;
        Some(Self {
            start,
            end,
            protection,
            owned: false,
            closed: vec![false; chunks as usize],
            closed_chunks: 0,
            traps: vec![0; ((end - start) / PAGE) as usize],
            trapped: false,
            worn: 0,
        })
    }

    pub fn overlaps(&self, start: u64, end: u64) -> bool {
        start < self.end && end > self.start
    }

    pub fn chunks(&self) -> usize {
        self.closed.len()
    }

    fn chunk_of(&self, address: u64) -> usize {
        (address / CHUNK - self.start / CHUNK) as usize
    }

    /// The addresses of a chunk.
    pub fn chunk(&self, chunk: usize) -> (u64, u64) {
        let start = (self.start / CHUNK + chunk as u64) * CHUNK;
        (start.max(self.start), (start + CHUNK).min(self.end))
    }

    pub fn is_closed(&self, chunk: usize) -> bool {
        self.closed[chunk]
    }

    pub fn set_closed(&mut self, chunk: usize, closed: bool) {
        match (std::mem::replace(&mut self.closed[chunk], closed), closed) {
            (false, true) => self.closed_chunks += 1,
            (true, false) => self.closed_chunks -= 1,
            _ => {}
        }
    }

    /// The chunk of an address, if it is closed.
    pub fn closed_chunk(&self, address: u64) -> Option<usize> {
        let chunk = self.chunk_of(address);
        self.closed[chunk].then_some(chunk)
    }

    fn page(&self, address: u64) -> usize {
        ((address - self.start) / PAGE) as usize
    }

    /// Whether the page at an address is open until the next synchronisation.
    pub fn is_worn(&self, address: u64) -> bool {
        self.traps[self.page(address)] >= LIMIT
    }

    /// Counts a trap of a page. True if it was the last one that it may have, as it is if the code that trapped is tired.
    pub fn count_trap(&mut self, address: u64, tired: bool) -> bool {
        self.trapped = true;
        let page = self.page(address);
        if self.traps[page] >= LIMIT {
            return false;
        }
        self.traps[page] = if tired { LIMIT } else { self.traps[page] + 1 };
        let last = self.traps[page] == LIMIT;
        self.worn += usize::from(last);
        last
    }

    /// Addresses of pages in `start .. end` that are open until the next synchronisation.
    pub fn worn_pages(&self, start: u64, end: u64) -> impl Iterator<Item = u64> {
        let pages = if self.worn == 0 { 0..0 } else { self.page(start)..self.page(end - 1) + 1 };
        pages.filter(|&page| self.traps[page] >= LIMIT).map(|page| self.start + page as u64 * PAGE)
    }

    /// Trap counts begin anew.
    pub fn forget_traps(&mut self) {
        if std::mem::take(&mut self.trapped) {
            self.traps.fill(0);
            self.worn = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_pages_and_chunks_by_address() {
        assert!(Range::new(100, PAGE, 0).is_none() && Range::new(u64::MAX - 5, 10, 0).is_none());
        let range = Range::new(CHUNK - PAGE - 1, 2 * PAGE + 2, 0).unwrap();
        assert_eq!((range.start, range.end, range.chunks()), (CHUNK - PAGE, CHUNK + PAGE, 2));
        assert_eq!((range.chunk(0), range.chunk(1)), ((CHUNK - PAGE, CHUNK), (CHUNK, CHUNK + PAGE)));
    }
}
