//! The state of a check: times, items, the shadow, what atomics carry.

use super::early::Early;
use super::launch::Streams;
use super::mbarrier::Phases;
use super::sync::Locations;
use crate::outcome::{self, Outcome};
use crate::shadow::Shadow;
use crate::stamp::{Stamp, Strength};
use hotfire_launch::order::{Clock, Fact, Facts, ItemId, Items, NO_ITEM, Point};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

/// The last time there is; the one behind marks split words.
const LAST_TIME: u32 = u32::MAX - 2;
/// When an idle device starts to count anew.
const OLD_AGE: u32 = 1 << 31;

/// The device's own number of a grid or operation, to describe it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemLabel {
    /// Host code.
    Host,
    /// A grid.
    Grid(u64),
    /// A copy, a set, a host function.
    Operation(u64),
}

/// An item's own: what it started with, and what its threads have learnt since.
pub(super) struct Own {
    label: ItemLabel,
    pub(super) start: Option<Arc<Clock>>,
    acquired: Option<Clock>,
    complete: Option<Fact>,
    /// Streams of its threads.
    streams: Option<Box<Streams>>,
    /// With what it was submitted, if it is a grid of the host's: for those that depend on it programmatically.
    pub(super) submitted: Option<Arc<Clock>>,
    /// It may start early.
    pub(super) early: Option<Box<Early>>,
    /// What its fences before triggers cover.
    pub(super) published: Option<Clock>,
}

impl Own {
    fn new(label: ItemLabel) -> Own {
        Own {
            label,
            start: None,
            acquired: None,
            complete: None,
            streams: None,
            submitted: None,
            early: None,
            published: None,
        }
    }
}

/// Who did something: what a stamp says, looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Agent {
    /// The grid or operation.
    pub item: ItemId,
    /// Linear index of the block.
    pub block: u32,
    /// Linear index of the thread in the block.
    pub thread: u16,
    /// Where.
    pub site: u32,
    /// How strong.
    pub strength: Strength,
}

/// Everything that happened, as far as it still matters.
pub struct Checker {
    /// The shadow of all memory.
    pub shadow: Shadow,
    /// The tree of items.
    pub items: Items,
    /// Counts allocations and frees.
    pub memory: u64,
    /// What may differ between schedules, if that is asked for.
    pub outcome: Option<Box<Outcome>>,
    pub(super) locations: Locations,
    /// `mbarrier` objects by address.
    pub(super) mbarriers: HashMap<u64, Phases>,
    /// The last time that was given out.
    time: u32,
    /// All before it is ordered before everything that comes.
    pub(super) floor: u32,
    /// Item and block of each time from the floor on.
    segments: Vec<(ItemId, u32)>,
    pub(super) own: Vec<Own>,
    /// What items of a chain had learnt when they were complete, by chain: for those behind them.
    pub(super) learnt: HashMap<u32, Vec<(u32, Clock)>>,
    /// Grids of the host's by what their completion is known as.
    pub(super) by_fact: HashMap<Fact, ItemId>,
    /// Whether a wait covers all that is in front in its stream (launch-model 4.8), not only what the documents say.
    pub in_order: bool,
    /// What host code knows.
    host: Clock,
    /// The host's present time.
    host_time: u32,
    /// The latest item of each host stream, as long as the host does not know that it is complete.
    outstanding: Vec<Fact>,
}

impl Checker {
    /// Nothing happened yet. `base` and `size` are the arena's.
    ///
    /// # Errors
    /// The operating system's, when there is no address space for the shadow.
    pub fn new(base: u64, size: u64) -> io::Result<Checker> {
        let mut checker = Checker {
            shadow: Shadow::new(base, size)?,
            items: Items::default(),
            memory: 0,
            outcome: None,
            locations: Locations::default(),
            mbarriers: HashMap::new(),
            // Time 1 is "long ago".
            time: 1,
            floor: 2,
            segments: Vec::new(),
            own: vec![Own::new(ItemLabel::Host)],
            learnt: HashMap::new(),
            by_fact: HashMap::new(),
            in_order: false,
            host: Clock::default(),
            host_time: 0,
            outstanding: Vec::new(),
        };
        checker.host_time = checker.tick(NO_ITEM, 0);
        Ok(checker)
    }

    /// The next time, for threads of this block.
    pub fn tick(&mut self, item: ItemId, block: u32) -> u32 {
        if self.time >= LAST_TIME {
            // A run that never stands still for so long: from here on its threads share one time, and faults are missed.
            return self.time;
        }
        self.time += 1;
        debug_assert_eq!(self.time as usize, self.floor as usize + self.segments.len());
        self.segments.push((item, block));
        self.time
    }

    /// Item and block of a time; `None` if it is before the floor.
    #[inline(always)]
    pub(super) fn segment(&self, time: u32) -> Option<(ItemId, u32)> {
        self.segments.get(time.checked_sub(self.floor)? as usize).copied()
    }

    /// Who a stamp is of.
    pub fn agent(&self, stamp: Stamp) -> Agent {
        let (item, block) = self.segment(stamp.time()).unwrap_or((NO_ITEM, 0));
        Agent { item, block, thread: stamp.thread(), site: stamp.site(), strength: stamp.strength() }
    }

    /// Is it still known who a stamp is of?
    pub fn is_recent(&self, stamp: Stamp) -> bool {
        self.segment(stamp.time()).is_some()
    }

    /// The device's number of an item.
    pub fn label(&self, item: ItemId) -> ItemLabel {
        self.own[item.0 as usize].label
    }

    /// An item is submitted: by `parent` (or the host), behind these facts, with what its launcher knows.
    pub fn submit(
        &mut self,
        label: ItemLabel,
        parent: ItemId,
        tail: bool,
        complete: Option<Fact>,
        start: Clock,
    ) -> ItemId {
        if let (NO_ITEM, Some(fact)) = (parent, complete) {
            match self.outstanding.iter_mut().find(|known| known.chain == fact.chain) {
                Some(known) => known.position = fact.position,
                None => self.outstanding.push(fact),
            }
        }
        self.add_item(label, parent, tail, complete, start)
    }

    pub(super) fn add_item(
        &mut self,
        label: ItemLabel,
        parent: ItemId,
        tail: bool,
        complete: Option<Fact>,
        start: Clock,
    ) -> ItemId {
        let item = self.items.add(parent, tail, complete);
        if let (NO_ITEM, Some(outcome)) = (parent, &mut self.outcome) {
            outcome.submit(item);
        }
        let start = Arc::new(start);
        // A grid of the host's.
        let submitted = (parent == NO_ITEM && matches!(label, ItemLabel::Grid(_))).then(|| start.clone());
        self.own.push(Own { start: Some(start), complete, submitted, ..Own::new(label) });
        item
    }

    /// What something starts with that the host submits now, behind these facts. What the host does afterwards it does not know of.
    pub fn host_clock(&mut self, behind: &Facts) -> Clock {
        let mut clock = self.host.clone();
        clock.facts.join(behind);
        clock.host = self.host_time;
        self.host_time = self.tick(NO_ITEM, 0);
        clock
    }

    pub(super) fn streams(&self, item: ItemId) -> Option<&Streams> {
        self.own[item.0 as usize].streams.as_deref()
    }

    pub(super) fn streams_mut(&mut self, item: ItemId) -> &mut Streams {
        self.own[item.0 as usize].streams.get_or_insert_default()
    }

    /// What is complete before an item starts.
    pub fn facts(&self, item: ItemId) -> Facts {
        self.own_start(item).facts.clone()
    }

    /// A host function ended: what is behind it knows what the host did.
    pub fn host_function_ended(&mut self, item: ItemId) {
        let clock = self.host_release();
        self.acquired(item, &clock);
    }

    /// An item starts to run: what it starts with, all that is behind it included.
    pub fn start(&mut self, item: ItemId) -> Arc<Clock> {
        let Some(start) = self.own[item.0 as usize].start.clone() else { return Arc::default() };
        let mut clock = Clock::clone(&start);
        self.include_learnt(&mut clock);
        self.include_published(item, &mut clock);
        let items = &self.items;
        let view = clock.clone();
        clock.forget(|other| items.knows(&view, other));
        let start = Arc::new(clock);
        self.own[item.0 as usize].start = Some(start.clone());
        if let Some(outcome) = &mut self.outcome {
            outcome.start(item, |other| self.items.knows(&start, other));
        }
        start
    }

    /// What an item started with.
    pub(super) fn own_start(&self, item: ItemId) -> Arc<Clock> {
        self.own[item.0 as usize].start.clone().unwrap_or_default()
    }

    /// What complete items had learnt is known to those behind them.
    pub(super) fn include_learnt(&self, clock: &mut Clock) {
        if self.learnt.is_empty() {
            return;
        }
        for fact in clock.facts.clone().iter() {
            let learnt = self.learnt.get(&fact.chain).into_iter().flatten();
            learnt.filter(|(position, _)| *position <= fact.position).for_each(|(_, more)| clock.join(more));
        }
    }

    /// A thread of the item has learnt this from others.
    pub(super) fn acquired(&mut self, item: ItemId, clock: &Clock) {
        self.own[item.0 as usize].acquired.get_or_insert_default().join(clock);
    }

    /// The item is complete: its tails and descendants too.
    pub fn complete(&mut self, item: ItemId) {
        let own = &mut self.own[item.0 as usize];
        own.start = None;
        own.streams = None;
        if let Some(outcome) = &mut self.outcome {
            outcome.complete(item);
        }
        let Some(acquired) = own.acquired.take() else { return };
        if let Some(fact) = own.complete {
            self.learnt.entry(fact.chain).or_default().push((fact.position, acquired.clone()));
        }
        let graph = self.items.graph(item);
        let above = if graph == NO_ITEM { self.items.parent(item) } else { graph };
        if above != NO_ITEM {
            self.acquired(above, &acquired);
        }
    }

    /// The host has synchronised with all that these facts name. True if it knows now that everything is complete.
    pub fn host_synchronised(&mut self, facts: &Facts) -> bool {
        let all = self.host_joins(facts);
        if all {
            self.host_settles();
        }
        all
    }

    /// The second half: the host knows that everything is complete.
    pub fn host_settles(&mut self) {
        self.raise_floor();
    }

    /// The first half of [`Checker::host_synchronised`]: who wrote what before is still known.
    pub fn host_joins(&mut self, facts: &Facts) -> bool {
        self.host.facts.join(facts);
        let host = &self.host.facts;
        self.outstanding.retain(|&fact| !host.knows(fact));
        let mut host = std::mem::take(&mut self.host);
        self.include_learnt(&mut host);
        self.host = host;
        self.outstanding.is_empty()
    }

    /// What the host knows of atomics: the first epoch with one that it does not know of.
    pub fn host_horizon(&self) -> u32 {
        self.outcome.as_ref().map_or(0, |outcome| outcome.horizon(|item| self.items.knows(&self.host, item)))
    }

    /// The bytes of a word that were written by whom the host knows of, one bit each, and who wrote it last.
    pub fn settled(&mut self, word: u64) -> (u32, Option<Stamp>) {
        let (bytes, last) = outcome::writers(&mut self.shadow, word);
        if let Some(stamp) = last {
            return if self.host_knows(stamp) { (stamp.set_bytes(), last) } else { (0, None) };
        }
        let settled = |n: &usize| !bytes[*n].is_none() && self.host_knows(bytes[*n]);
        ((0..4).filter(settled).fold(0, |mask, n| mask | 1 << n), None)
    }

    /// The device was reset: nothing of before matters any more.
    pub fn reset(&mut self) {
        self.outstanding.clear();
        self.raise_floor();
    }

    /// The host has read what a device thread released to the system.
    pub(super) fn host_learns(&mut self, clock: &Clock) {
        self.host.join(clock);
    }

    /// Has so much happened that the times should begin anew? Asked when the device is idle.
    pub fn is_old(&self) -> bool {
        self.time > OLD_AGE
    }

    /// The times begin anew: what was written in these ranges was written long ago. Called right behind a synchronisation with an idle
    /// device.
    pub fn renew(&mut self, ranges: &[(u64, u64)]) {
        for &(base, bytes) in ranges {
            self.age(base, bytes);
        }
        self.shadow.splits.age();
        self.time = 1;
        self.floor = 2;
        self.segments.clear();
        self.host_time = self.tick(NO_ITEM, 0);
    }

    /// Everything so far is ordered before everything that comes.
    fn raise_floor(&mut self) {
        if let Some(outcome) = &mut self.outcome {
            outcome.settle();
        }
        self.time += 1;
        self.floor = self.time + 1;
        self.segments.clear();
        self.locations.clear();
        self.mbarriers.clear();
        self.learnt.clear();
        for item in std::mem::take(&mut self.by_fact).into_values() {
            let own = &mut self.own[item.0 as usize];
            (own.submitted, own.early, own.published) = (None, None, None);
        }
        self.host = Clock::default();
        self.host_time = self.tick(NO_ITEM, 0);
    }

    /// The time of host code's accesses now.
    pub fn host_time(&self) -> u32 {
        self.host_time
    }

    /// The host does something that device code may learn of: its time goes on. What it did before.
    pub(super) fn host_release(&mut self) -> Clock {
        let mut clock = self.host.clone();
        clock.host = self.host_time;
        self.host_time = self.tick(NO_ITEM, 0);
        clock
    }

    /// Is what the stamp says known to the host?
    pub(super) fn host_knows(&self, stamp: Stamp) -> bool {
        let time = stamp.time();
        match self.segment(time) {
            None | Some((NO_ITEM, _)) => true,
            Some((item, block)) => {
                let point = Point { item, block, thread: stamp.thread(), time };
                self.items.knows_point(&self.host, point)
            }
        }
    }
}
