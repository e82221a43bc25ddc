//! Words whose bytes have different histories.

use crate::stamp::Stamp;

/// The history of one byte.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct ByteCell {
    /// Who wrote it last.
    pub writer: Stamp,
    /// Who read it since: one of those, the first that the writers since would have to know of.
    pub reader: Stamp,
}

/// A table of such words.
#[derive(Default)]
pub struct Splits {
    words: Vec<[ByteCell; 4]>,
    free: Vec<u32>,
}

impl Splits {
    /// A new entry; its number.
    pub fn add(&mut self, word: [ByteCell; 4]) -> u32 {
        match self.free.pop() {
            Some(index) => {
                self.words[index as usize] = word;
                index
            }
            None => {
                self.words.push(word);
                self.words.len() as u32 - 1
            }
        }
    }

    /// The entry of that number.
    pub fn get(&mut self, index: u32) -> &mut [ByteCell; 4] {
        &mut self.words[index as usize]
    }

    /// What was written was written long ago.
    pub fn age(&mut self) {
        for byte in self.words.iter_mut().flatten() {
            if !byte.writer.is_none() {
                byte.writer = Stamp::ANCIENT;
            }
            byte.reader = Stamp::NONE;
        }
    }

    /// Forgets what was before a time. Whether nothing is left, in which case there is no such entry any more.
    pub fn forget(&mut self, index: u32, before: u32) -> bool {
        let mut left = false;
        for byte in self.get(index) {
            for stamp in [&mut byte.writer, &mut byte.reader] {
                if stamp.time() < before {
                    *stamp = Stamp::NONE;
                }
                left |= !stamp.is_none();
            }
        }
        if !left {
            self.remove(index);
        }
        !left
    }

    /// The word is whole again.
    pub fn remove(&mut self, index: u32) {
        self.free.push(index);
    }

    /// Bytes of memory in use.
    pub fn resident(&self) -> u64 {
        (self.words.capacity() * size_of::<[ByteCell; 4]>()) as u64
    }
}
