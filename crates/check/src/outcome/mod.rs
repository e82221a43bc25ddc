//! Which memory may differ between schedules for a reason that the program shows: a value that came from an atomic's result or
//! accumulation, a clock, an address that an allocator gave (the rule `advice/outcome`).
//!
//! Such values are followed roughly, and always to the safe side: what is marked is not compared. A thread that gets one is marked, and
//! all that it stores from then on; a grid or an operation that a marked thread launches is marked as a whole. Host code that may have
//! seen one marks all that the host submits afterwards.
//!
//! Atomics whose order among their like does not matter (integers, result unused) mark nothing for those who know of all of them: then
//! the sum is the same in every schedule. Epochs tell: a new one begins when an item starts, and an item knows the epochs all of whose
//! atomics are ordered before its start.
//!
//! What a race was found to touch is marked too: the race is the finding.
//!
//! # What it can miss
//! Whatever is stored by threads and hosts that were marked for another reason. A value that depends on a marked store *not* having
//! happened is not marked.

mod marks;
mod point;

pub use marks::{Mark, Marks};
pub use point::{Area, CHUNK, Piece, PieceId, Point, Record};

use crate::shadow::Shadow;
use crate::stamp::Stamp;
use hotfire_launch::order::ItemId;
use std::collections::{HashMap, HashSet};
use std::io;

/// Items that one start looks at.
const LOOKED_AT: usize = 4096;

/// What is marked.
pub struct Outcome {
    marks: Marks,
    /// The present epoch, and the items whose atomics are of it.
    epoch: u32,
    now: HashSet<ItemId>,
    /// Epochs before, since the host last knew everything to be complete.
    before: Vec<(u32, Vec<ItemId>)>,
    /// The epochs that items know: all before this one.
    known: HashMap<ItemId, u32>,
    /// Marked items.
    items: HashSet<ItemId>,
    /// Handles of the device runtime: their numbers depend on the order in which threads ask for them.
    handles: HashSet<u64>,
    /// Host code may have seen a marked value.
    pub host: bool,
    /// What the host submitted so far.
    pub submitted: u64,
}

impl Outcome {
    /// Nothing is marked. `base` and `size` are the arena's.
    ///
    /// # Errors
    /// The operating system's, when there is no address space for the marks.
    pub fn new(base: u64, size: u64) -> io::Result<Outcome> {
        Ok(Outcome {
            marks: Marks::new(base, size)?,
            epoch: 1,
            now: HashSet::new(),
            before: Vec::new(),
            known: HashMap::new(),
            items: HashSet::new(),
            handles: HashSet::new(),
            host: false,
            submitted: 0,
        })
    }

    /// The host submitted an item.
    pub fn submit(&mut self, item: ItemId) {
        self.submitted += 1;
        if self.host {
            self.items.insert(item);
        }
    }

    /// A marked thread launched the item.
    pub fn mark_item(&mut self, item: ItemId) {
        self.items.insert(item);
    }

    /// Is all that the item does marked?
    pub fn is_marked(&self, item: ItemId) -> bool {
        self.items.contains(&item)
    }

    /// A handle was given to a thread.
    pub fn handle(&mut self, bits: u64) {
        self.handles.insert(bits);
    }

    /// Is it the number of a handle?
    pub fn is_handle(&self, bits: u64) -> bool {
        !self.handles.is_empty() && self.handles.contains(&bits)
    }

    /// The first epoch with an atomic of somebody whom the asking one does not know to be complete.
    pub fn horizon(&self, knows: impl Fn(ItemId) -> bool) -> u32 {
        let mut left = LOOKED_AT;
        for (epoch, items) in self.before.iter().map(|(epoch, items)| (*epoch, items.iter())) {
            for &item in items {
                if left == 0 || !knows(item) {
                    return epoch;
                }
                left -= 1;
            }
        }
        if self.now.len() <= left && self.now.iter().all(|&item| knows(item)) { self.epoch + 1 } else { self.epoch }
    }

    /// An item starts.
    pub(crate) fn start(&mut self, item: ItemId, knows: impl Fn(ItemId) -> bool) {
        if !self.now.is_empty() && self.epoch < u32::MAX - 2 {
            self.before.push((self.epoch, self.now.drain().collect()));
            self.epoch += 1;
        }
        let horizon = self.horizon(knows).min(self.epoch);
        self.known.insert(item, horizon);
    }

    /// An item is complete.
    pub(crate) fn complete(&mut self, item: ItemId) {
        self.known.remove(&item);
        self.items.remove(&item);
    }

    /// The host knows that everything is complete.
    pub(crate) fn settle(&mut self) {
        self.before.clear();
        self.now.clear();
        self.epoch = (self.epoch + 1).min(u32::MAX - 2);
    }

    /// The epochs that a started item knows: all before this one.
    pub fn known(&self, item: ItemId) -> u32 {
        self.known.get(&item).copied().unwrap_or(0)
    }

    /// Does a range tell of the schedule, to somebody who knows the atomics before `known`?
    pub fn tells(&self, address: u64, bytes: u64, known: u32) -> bool {
        self.marks.any(address, bytes, |mark| mark.telling(known))
    }

    /// The same for each byte of the word at an address, one bit each.
    pub fn telling(&self, word: u64, known: u32) -> u32 {
        self.marks.get(word).telling(known)
    }

    /// A range is stored to.
    pub fn store(&mut self, address: u64, bytes: u64, marked: bool, known: u32) {
        self.marks.change(address, bytes, |_, _, bytes, mark| mark.stored(bytes, marked, known));
    }

    /// An item changes a range by an atomic whose order among its like does not matter.
    pub fn accumulate(&mut self, item: ItemId, address: u64, bytes: u64, kind: u32, marked: bool, known: u32) {
        self.now.insert(item);
        let epoch = self.epoch;
        self.marks.change(address, bytes, |_, _, bytes, mark| mark.accumulated(kind, bytes, marked, known, epoch));
    }

    /// A range is copied.
    pub fn copy(&mut self, to: u64, from: u64, bytes: u64, known: u32) {
        self.marks.change(to, bytes, |marks, word, bytes, mark| {
            let told = (0..4u64).filter(|byte| bytes >> byte & 1 == 1).fold(0, |told, byte| {
                let source = from.wrapping_add(word.wrapping_add(byte).wrapping_sub(to));
                told | (marks.get(source & !3).telling(known) >> (source & 3) & 1) << byte
            });
            let clean = mark.stored(bytes & !told, false, known);
            if told == 0 { clean } else { clean.stored(told, true, known) }
        });
    }

    /// Forgets what is known of a range, which is going to be used.
    pub fn clear(&mut self, address: u64, bytes: u64) {
        self.marks.clear(address, bytes);
    }
}

/// Who wrote each byte of a word last; and the whole word, if it is one.
pub(crate) fn writers(shadow: &mut Shadow, word: u64) -> ([Stamp; 4], Option<Stamp>) {
    let Ok(cell) = shadow.cell(word) else { return ([Stamp::NONE; 4], None) };
    // SAFETY: the cell's place lies in the shadow, which nobody else uses now.
    let writer = unsafe { *cell.writer };
    match writer.split_index() {
        Some(index) => (shadow.splits.get(index).map(|byte| byte.writer), None),
        None => {
            let set = |n: u32| if writer.set_bytes() >> n & 1 == 1 { writer } else { Stamp::NONE };
            ([0, 1, 2, 3].map(set), (!writer.is_none()).then_some(writer))
        }
    }
}
