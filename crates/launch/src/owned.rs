//! Objects that device code creates and that belong to the creating grid: named streams and events (launch-model 3.2).
//!
//! They can be destroyed one by one, and go with their grid's threads otherwise: nobody else may use the handle.

use crate::handle::{Item, next_generation};
use crate::node::NONE;
use std::num::NonZeroU32;

#[derive(Clone, Debug)]
struct Entry {
    generation: NonZeroU32,
    owner: Option<Item>,
    /// The last item of the stream, or the item that the event stands for.
    last: Option<Item>,
    previous: u32,
    /// The next object of the same grid; in the free list, the next free entry.
    next: u32,
}

/// A handle that does not name an object of the grid that used it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// It was never given out, or its object is gone.
    Stale,
    /// It belongs to this other grid.
    Foreign(Item),
}

#[derive(Clone, Debug)]
pub(crate) struct Owned {
    entries: Vec<Entry>,
    free: u32,
}

impl Owned {
    pub fn new() -> Owned {
        Owned { entries: Vec::new(), free: NONE }
    }

    /// A new object of `owner`, at the front of the owner's list `first`.
    pub fn create(&mut self, owner: Item, first: &mut u32) -> (u32, NonZeroU32) {
        let index = match self.free {
            NONE => {
                // Handles have 31 bits for an index: more objects at once than memory for them.
                assert!(self.entries.len() < 1 << 31, "too many device streams or events");
                self.entries.push(Entry {
                    generation: NonZeroU32::MIN,
                    owner: None,
                    last: None,
                    previous: NONE,
                    next: NONE,
                });
                self.entries.len() as u32 - 1
            }
            index => {
                self.free = self.entries[index as usize].next;
                index
            }
        };
        if *first != NONE {
            self.entries[*first as usize].previous = index;
        }
        let entry = &mut self.entries[index as usize];
        entry.owner = Some(owner);
        entry.last = None;
        entry.previous = NONE;
        entry.next = std::mem::replace(first, index);
        (index, entry.generation)
    }

    /// The object, if it exists and belongs to `owner`.
    pub fn check(&self, index: u32, generation: NonZeroU32, owner: Item) -> Result<u32, Wrong> {
        let entry = self.entries.get(index as usize).ok_or(Wrong::Stale)?;
        match entry.owner {
            Some(of) if entry.generation == generation && of == owner => Ok(index),
            Some(of) if entry.generation == generation => Err(Wrong::Foreign(of)),
            _ => Err(Wrong::Stale),
        }
    }

    pub fn last(&self, index: u32) -> Option<Item> {
        self.entries[index as usize].last
    }

    pub fn set_last(&mut self, index: u32, item: Option<Item>) {
        self.entries[index as usize].last = item;
    }

    /// Forgets the last item if it is this one (the stream may be gone, and another in its place).
    pub fn clear_last(&mut self, index: u32, item: Item) {
        let last = &mut self.entries[index as usize].last;
        if *last == Some(item) {
            *last = None;
        }
    }

    /// Destroys an object; `first` is its owner's list.
    pub fn destroy(&mut self, index: u32, first: &mut u32) {
        let Entry { previous, next, .. } = self.entries[index as usize];
        match previous {
            NONE => *first = next,
            previous => self.entries[previous as usize].next = next,
        }
        if next != NONE {
            self.entries[next as usize].previous = previous;
        }
        let entry = &mut self.entries[index as usize];
        entry.generation = next_generation(entry.generation);
        entry.owner = None;
        entry.next = std::mem::replace(&mut self.free, index);
    }
}
