//! Host events: what was recorded last, and when it became complete.

use super::stream::HOST_HANDLE;
use crate::device::{Event, EventFlags};
use hotfire_launch::order::{Facts, Prerequisite};
use hotfire_launch::{Early, Item};

#[derive(Clone, Debug)]
pub(crate) struct EventEntry {
    generation: u32,
    alive: bool,
    pub flags: EventFlags,
    /// Counts recordings, so that a late stamp of an earlier one is not taken for the last one's.
    recording: u64,
    /// What the last recording waits for; `None` before the first.
    pub item: Option<Item>,
    /// What is complete once it is, to happens-before.
    pub facts: Facts,
    /// If the last recording is of how far a kernel has come: the kernel, and what it is to happens-before.
    pub kernel: Option<(Item, Early, Option<Prerequisite>)>,
    /// When the last recording became complete, in nanoseconds of the device's time.
    pub time: Option<u64>,
}

/// Events that programs hold handles of. Bit 30 tells them from streams.
#[derive(Debug)]
pub(crate) struct EventTable {
    entries: Vec<EventEntry>,
    free: Vec<usize>,
}

const TAG: u64 = HOST_HANDLE | 1 << 30;

impl EventTable {
    pub fn new() -> Self {
        Self { entries: Vec::new(), free: Vec::new() }
    }

    pub fn create(&mut self, flags: EventFlags) -> Event {
        let empty = EventEntry {
            generation: 0,
            alive: false,
            flags,
            recording: 0,
            item: None,
            facts: Facts::default(),
            kernel: None,
            time: None,
        };
        let index = self.free.pop().unwrap_or_else(|| {
            self.entries.push(empty.clone());
            self.entries.len() - 1
        });
        let entry = &mut self.entries[index];
        let (generation, recording) = (entry.generation + 1, entry.recording + 1);
        *entry = EventEntry { generation, alive: true, recording, ..empty };
        Event(u64::from(generation) << 32 | TAG | index as u64)
    }

    fn index(&self, handle: Event) -> Option<usize> {
        let index = (handle.0 & 0xffff_ffff).checked_sub(TAG)? as usize;
        let entry = self.entries.get(index)?;
        (entry.alive && u64::from(entry.generation) == handle.0 >> 32).then_some(index)
    }

    pub fn get(&self, handle: Event) -> Option<EventEntry> {
        self.index(handle).map(|index| self.entries[index].clone())
    }

    /// The event was recorded: `item` stands for it from now on. Its slot and the number of the recording.
    pub fn record(&mut self, handle: Event, item: Item, facts: Facts) -> Option<(usize, u64)> {
        let index = self.index(handle)?;
        let entry = &mut self.entries[index];
        entry.recording += 1;
        entry.item = Some(item);
        entry.facts = facts;
        entry.kernel = None;
        entry.time = None;
        Some((index, entry.recording))
    }

    /// What was recorded last is how far this kernel has come.
    pub fn of_kernel(&mut self, handle: Event, kernel: Item, early: Early, prerequisite: Option<Prerequisite>) {
        if let Some(index) = self.index(handle) {
            self.entries[index].kernel = Some((kernel, early, prerequisite));
        }
    }

    /// A recording became complete at that time.
    pub fn stamp(&mut self, index: usize, recording: u64, now: u64) {
        let entry = &mut self.entries[index];
        if entry.alive && entry.recording == recording {
            entry.time = Some(now);
        }
    }

    pub fn destroy(&mut self, handle: Event) -> bool {
        let Some(index) = self.index(handle) else { return false };
        self.entries[index].alive = false;
        self.free.push(index);
        true
    }
}
