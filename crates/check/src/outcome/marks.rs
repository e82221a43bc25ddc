//! Which bytes hold something that may differ from run to run for a reason, and which words atomics have accumulated in.

use crate::shadow::Plane;
use crate::stamp::Stamp;
use std::collections::HashMap;
use std::io;

/// One word of four bytes: its bytes that are marked, how atomics changed it last, and in which epoch.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Mark(u64);

const BYTES: u64 = 0b1111;
const KIND: u32 = 4;
const EPOCH: u32 = 32;

impl Mark {
    /// The marked bytes, one bit each.
    pub fn bytes(self) -> u32 {
        (self.0 & BYTES) as u32
    }

    /// When atomics changed it last; 0 if they did not.
    pub fn epoch(self) -> u32 {
        (self.0 >> EPOCH) as u32
    }

    fn kind(self) -> u32 {
        (self.0 >> KIND) as u32 & 0xf
    }

    /// The bytes that tell of the schedule to somebody who knows the atomics before `known`.
    pub fn telling(self, known: u32) -> u32 {
        if self.epoch() >= known && self.epoch() != 0 { BYTES as u32 } else { self.bytes() }
    }

    /// These bytes are stored by somebody who knows the atomics before `known`.
    #[must_use]
    pub fn stored(self, bytes: u32, marked: bool, known: u32) -> Mark {
        // Before the store or behind it: nobody knows, so that what is left is the atomics' business.
        let unordered = self.epoch() != 0 && self.epoch() >= known;
        let rest = if u64::from(bytes) == BYTES { 0 } else { self.0 & !u64::from(bytes) };
        Mark(if marked || unordered { rest | u64::from(bytes) } else { rest })
    }

    /// An atomic whose order among its like does not matter.
    #[must_use]
    pub fn accumulated(self, kind: u32, bytes: u32, marked: bool, known: u32, epoch: u32) -> Mark {
        let mixed = self.epoch() != 0 && self.epoch() >= known && self.kind() != kind;
        let marks = self.0 & BYTES | if marked || mixed { u64::from(bytes) } else { 0 };
        Mark(marks | u64::from(kind & 0xf) << KIND | u64::from(epoch) << EPOCH)
    }
}

/// Bytes of a piece of registered host memory.
const PIECE: u64 = 64 << 10;

/// The marks of all memory.
pub struct Marks {
    base: u64,
    size: u64,
    arena: Plane,
    pieces: HashMap<u64, Vec<Mark>>,
    /// Nothing was marked yet.
    clean: bool,
}

impl Marks {
    /// No marks. `base` and `size` are the arena's.
    ///
    /// # Errors
    /// The operating system's, when there is no address space for them.
    pub fn new(base: u64, size: u64) -> io::Result<Marks> {
        Ok(Marks { base, size, arena: Plane::new(size / 4)?, pieces: HashMap::new(), clean: true })
    }

    /// The mark of the word around an address.
    pub fn get(&self, address: u64) -> Mark {
        if self.clean {
            return Mark::default();
        }
        if address.wrapping_sub(self.base) < self.size {
            // SAFETY: inside the plane, which nobody else uses.
            return Mark(unsafe { self.arena.at((address - self.base) / 4).read() }.0);
        }
        let piece = self.pieces.get(&(address & !(PIECE - 1)));
        piece.map_or(Mark::default(), |piece| piece[(address % PIECE / 4) as usize])
    }

    fn set(&mut self, address: u64, mark: Mark) {
        self.clean = false;
        if address.wrapping_sub(self.base) < self.size {
            // SAFETY: inside the plane, which nobody else uses.
            unsafe { self.arena.at((address - self.base) / 4).write(Stamp(mark.0)) };
            return;
        }
        let fresh = || vec![Mark::default(); (PIECE / 4) as usize];
        self.pieces.entry(address & !(PIECE - 1)).or_insert_with(fresh)[(address % PIECE / 4) as usize] = mark;
    }

    /// Changes the marks of a range, word by word; `change` gets the address and the bytes of the word that it is about.
    pub fn change(&mut self, address: u64, bytes: u64, mut change: impl FnMut(&Marks, u64, u32, Mark) -> Mark) {
        for (word, mask) in words(address, bytes) {
            let before = self.get(word);
            let after = change(self, word, mask, before);
            // What is clean and stays so takes no memory.
            if after != before {
                self.set(word, after);
            }
        }
    }

    /// Whether any byte of a range fulfils this; `test` gets the bytes of the word.
    pub fn any(&self, address: u64, bytes: u64, test: impl Fn(Mark) -> u32) -> bool {
        !self.clean && words(address, bytes).any(|(word, mask)| test(self.get(word)) & mask != 0)
    }

    /// Forgets the marks of a range.
    pub fn clear(&mut self, address: u64, bytes: u64) {
        if self.clean || bytes == 0 {
            return;
        }
        if address.wrapping_sub(self.base) < self.size {
            let first = (address - self.base) / 4;
            self.arena.clear(first, (address - self.base + bytes).div_ceil(4) - first);
        } else {
            self.pieces.retain(|&base, _| base + PIECE <= address || base >= address + bytes);
        }
    }
}

/// The words of a range, and which of their bytes lie in it.
fn words(address: u64, bytes: u64) -> impl Iterator<Item = (u64, u32)> {
    let end = address + bytes;
    (address & !3..end).step_by(4).map(move |word| {
        let (from, to) = (address.max(word) - word, end.min(word + 4) - word);
        (word, (1u32 << to) - (1 << from))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_range() {
        assert_eq!(words(6, 7).collect::<Vec<_>>(), [(4, 0b1100), (8, 0b1111), (12, 0b0001)]);
        assert_eq!(words(5, 2).collect::<Vec<_>>(), [(4, 0b0110)]);
        assert_eq!(words(8, 0).count(), 0);
    }

    #[test]
    fn stores_clear_what_they_cover() {
        let mark = Mark::default().stored(0b0110, true, 1);
        assert_eq!(mark.telling(1), 0b0110);
        assert_eq!(mark.stored(0b0010, false, 1).telling(1), 0b0100);
        assert_eq!(mark.stored(0b1111, false, 1), Mark::default());
    }

    #[test]
    fn accumulation_tells_those_who_do_not_know_it() {
        let mark = Mark::default().accumulated(1, 0b1111, false, 5, 5);
        assert_eq!((mark.telling(5), mark.telling(6)), (0b1111, 0));
        // Another operation, unordered: the sum depends on the order.
        assert_eq!(mark.accumulated(2, 0b1111, false, 5, 5).telling(9), 0b1111);
        assert_eq!(mark.accumulated(2, 0b1111, false, 6, 6).telling(9), 0);
        // A store, unordered.
        assert_eq!(mark.stored(0b1111, false, 5).telling(9), 0b1111);
        assert_eq!(mark.stored(0b1111, false, 6), Mark::default());
    }

    #[test]
    fn marks_lie_where_they_were_set() {
        let mut marks = Marks::new(0x10_0000, 1 << 20).unwrap();
        for address in [0x10_0004, 0x7000_0000_0004] {
            marks.change(address, 6, |_, _, bytes, mark| mark.stored(bytes, true, 1));
            assert!(marks.any(address + 5, 1, Mark::bytes) && !marks.any(address + 6, 2, Mark::bytes));
            marks.clear(address, 8);
            assert!(!marks.any(address, 8, Mark::bytes));
        }
    }
}
