//! Programmatic dependent launch (launch-model 4): what a grid knows that may start before the one in front of it is complete.
//!
//! It starts with what the chain of early starts began with. A wait teaches its thread, and only that, what the grid's direct prerequisites
//! amount to when they are complete: each of them, what it started with, and what its own threads had learnt, by waits of theirs above all.
//! So in a chain in which everybody waits each wait covers all that came before; where one does not, its prerequisite stays unknown
//! to those behind ([`BlockOrder::knows_in_order`] tells whether only the order in which hardware completes grids excuses an access).
//! A trigger publishes what the last fence of its thread covers; grids that start behind it know that.

use super::block::BlockOrder;
use super::checker::{Checker, ItemLabel};
use crate::stamp::{Stamp, Strength};
use hotfire_launch::order::{Clock, Fact, Facts, ItemId, NO_ITEM, Place, Point};
use std::collections::HashMap;
use std::sync::Arc;

/// 64-bit words for the threads of a block.
const WORDS: usize = 16;

/// A grid that another one depends on.
struct Primary {
    item: ItemId,
    complete: Fact,
    start: Arc<Clock>,
    in_order: Facts,
}

/// A thread that waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiter {
    /// Linear index of its block.
    pub block: u32,
    /// Linear index of the thread in it.
    pub thread: u16,
    /// Where, as the device numbers calls.
    pub site: u32,
}

/// What is kept of a grid that may start early.
pub(super) struct Early {
    primaries: Vec<Primary>,
    /// What would be complete before it starts if nothing started early.
    in_order: Facts,
    /// What it started with but for the fences of its prerequisites, if those matter.
    unfenced: Option<Arc<Clock>>,
    /// What a thread knows that has waited.
    after: Option<Arc<Clock>>,
    /// Which threads of each block have come to a wait.
    waits: HashMap<u32, [u64; WORDS]>,
    first: Option<Waiter>,
}

impl Checker {
    /// As [`Checker::submit`], for what the host launches at this place.
    pub fn submit_at(&mut self, label: ItemLabel, place: &Place) -> ItemId {
        let clock = self.host_clock(&place.behind);
        let item = self.submit(label, NO_ITEM, false, place.complete, clock);
        self.note_place(item, label, place);
        item
    }

    /// What may start early, and what others may depend on so.
    pub(super) fn note_place(&mut self, item: ItemId, label: ItemLabel, place: &Place) {
        if let (ItemLabel::Grid(_), Some(fact)) = (label, place.complete) {
            self.by_fact.insert(fact, item);
        }
        if place.behind == place.in_order {
            return;
        }
        let primaries = place.prerequisites.iter().filter_map(|primary| {
            let item = *self.by_fact.get(&primary.complete)?;
            let start = self.own[item.0 as usize].submitted.clone().unwrap_or_default();
            Some(Primary { item, complete: primary.complete, start, in_order: primary.in_order.clone() })
        });
        let early = Early {
            primaries: primaries.collect(),
            in_order: place.in_order.clone(),
            unfenced: None,
            after: None,
            waits: HashMap::new(),
            first: None,
        };
        self.own[item.0 as usize].early = Some(Box::new(early));
    }

    fn early(&self, item: ItemId) -> Option<&Early> {
        self.own[item.0 as usize].early.as_deref()
    }

    /// May the grid run beside others that it depends on?
    pub fn is_early(&self, item: ItemId) -> bool {
        self.early(item).is_some_and(|early| !early.primaries.is_empty())
    }

    /// The grids that it depends on and may run beside.
    pub fn primaries(&self, item: ItemId) -> impl Iterator<Item = ItemId> + '_ {
        self.early(item).into_iter().flat_map(|early| early.primaries.iter().map(|primary| primary.item))
    }

    /// Would `earlier` be complete before `later` starts, both launched by the host, if nothing started early? Only asked of such as
    /// are not ordered.
    pub fn is_early_beside(&self, earlier: ItemId, later: ItemId) -> bool {
        let Some(early) = self.early(later) else { return false };
        let mut clock = Clock::default();
        clock.facts.clone_from(&early.in_order);
        self.items.knows(&clock, earlier)
    }

    /// A grid starts to run: its prerequisites' fences, if they matter, are part of what it knows.
    pub(super) fn include_published(&mut self, item: ItemId, clock: &mut Clock) {
        let published: Vec<Clock> =
            self.primaries(item).filter_map(|primary| self.own[primary.0 as usize].published.clone()).collect();
        if published.is_empty() {
            return;
        }
        let unfenced = Arc::new(clock.clone());
        published.iter().for_each(|more| clock.join(more));
        published.iter().for_each(|more| self.acquired(item, more));
        if let Some(early) = &mut self.own[item.0 as usize].early {
            early.unfenced = Some(unfenced);
        }
    }

    /// What a thread of the grid knows that has waited, now that what it waited for is complete.
    fn after_wait(&mut self, item: ItemId) -> Arc<Clock> {
        if let Some(after) = self.early(item).and_then(|early| early.after.clone()) {
            return after;
        }
        let Some(early) = self.own[item.0 as usize].early.take() else { return Arc::default() };
        let mut clock = Clock::clone(early.unfenced.as_ref().unwrap_or(&self.own_start(item)));
        for primary in &early.primaries {
            clock.join(&primary.start);
            let Fact { chain, position } = primary.complete;
            if let Some(learnt) = self.learnt.get(&chain) {
                learnt.iter().filter(|(at, _)| *at == position).for_each(|(_, more)| clock.join(more));
            }
            // All up to it, if all before it is known.
            let all = position == 1 || clock.facts.knows(Fact { chain, position: position - 1 });
            clock.facts.learn(if all { primary.complete } else { self.items.single(primary.item) });
            if self.in_order {
                clock.facts.join(&primary.in_order);
            }
        }
        self.include_learnt(&mut clock);
        self.acquired(item, &clock);
        let after = Arc::new(clock);
        self.own[item.0 as usize].early = Some(Box::new(Early { after: Some(after.clone()), ..*early }));
        after
    }

    fn note_wait(&mut self, item: ItemId, waiter: Waiter) {
        if let Some(early) = &mut self.own[item.0 as usize].early {
            let threads = early.waits.entry(waiter.block).or_default();
            threads[usize::from(waiter.thread) / 64 % WORDS] |= 1 << (waiter.thread % 64);
            early.first.get_or_insert(waiter);
        }
    }

    /// Has the thread come to a wait?
    pub fn has_waited(&self, item: ItemId, block: u32, thread: u16) -> bool {
        let threads = self.early(item).and_then(|early| early.waits.get(&block));
        threads.is_some_and(|threads| threads[usize::from(thread) / 64 % WORDS] >> (thread % 64) & 1 == 1)
    }

    /// Has any thread of the block come to a wait?
    pub fn block_has_waited(&self, item: ItemId, block: u32) -> bool {
        self.early(item).is_some_and(|early| early.waits.contains_key(&block))
    }

    /// The first thread of the grid that came to a wait.
    pub fn first_waiter(&self, item: ItemId) -> Option<Waiter> {
        self.early(item).and_then(|early| early.first)
    }

    /// The waits of a grid matter no more.
    pub fn forget_waits(&mut self, item: ItemId) {
        if let Some(early) = &mut self.own[item.0 as usize].early {
            early.waits = HashMap::new();
        }
    }
}

/// What a block of a grid keeps of an early start.
#[derive(Default)]
pub(super) struct Side {
    /// The grid has prerequisites that it may run beside.
    early: bool,
    /// What threads know that have waited.
    after: Option<Arc<Clock>>,
    /// Those that know it by their own wait, since the last barrier.
    waited: [u64; WORDS],
    any: bool,
    /// What all threads start with but for fences.
    unfenced: Option<Arc<Clock>>,
}

impl Side {
    /// The block is one of another grid.
    pub fn begin_grid(&mut self, checker: &Checker, item: ItemId) {
        *self = Side { early: checker.is_early(item), ..Side::default() };
        self.unfenced = checker.early(item).and_then(|early| early.unfenced.clone());
    }

    /// A block begins.
    pub fn begin(&mut self) {
        if std::mem::take(&mut self.any) {
            self.waited = [0; WORDS];
        }
    }

    /// What the thread has learnt by a wait of its own.
    pub fn after(&self, thread: u16) -> Option<&Clock> {
        let waited = self.any && self.waited[usize::from(thread) / 64 % WORDS] >> (thread % 64) & 1 == 1;
        self.after.as_deref().filter(|_| waited)
    }

    /// Has any thread learnt something by itself?
    pub fn any(&self) -> bool {
        self.any
    }

    /// Whatever threads have learnt all of them know now.
    pub fn take(&mut self) -> Option<&Clock> {
        if !self.any {
            return None;
        }
        self.begin();
        self.after.as_deref()
    }
}

impl BlockOrder {
    /// A thread comes to a wait, which may hold it.
    pub fn comes_to_wait(&mut self, checker: &mut Checker, thread: u16, site: u32) {
        if self.side.early {
            checker.note_wait(self.item, Waiter { block: self.block, thread, site });
        }
    }

    /// A thread has waited: what its grid depends on is complete.
    pub fn waited(&mut self, checker: &mut Checker, thread: u16) {
        if !self.side.early {
            return;
        }
        let after = self.side.after.get_or_insert_with(|| checker.after_wait(self.item)).clone();
        if self.learns_apart(thread) {
            let clock = self.clock(thread);
            if !clock.includes(&after) {
                let mut clock = clock.clone();
                clock.join(&after);
                self.own_mut(thread).clock = Some(clock);
            }
            return;
        }
        self.side.waited[usize::from(thread) / 64 % WORDS] |= 1 << (thread % 64);
        self.side.any = true;
    }

    /// A thread triggers: what its last fence covers is known to what starts behind.
    pub fn triggers(&mut self, checker: &mut Checker, thread: u16) {
        if let Some((clock, scope)) = self.fence_of(thread)
            && scope >= Strength::Device
        {
            let published = &mut checker.own[self.item.0 as usize].published;
            published.get_or_insert_default().join(&clock);
        }
    }

    /// Does the thread know all that a wait of its grid teaches?
    fn knows_wait(&self, thread: u16) -> bool {
        self.side.after.as_ref().is_some_and(|after| self.clock(thread).includes(after))
    }

    /// Has a thread that waited, or learnt of one that did, a right to this by the order in which grids of a stream become complete?
    pub fn knows_in_order(&self, checker: &Checker, thread: u16, stamp: Stamp) -> bool {
        if !self.knows_wait(thread) {
            return false;
        }
        let Some((item, block)) = checker.segment(stamp.time()) else { return true };
        let mut clock = self.clock(thread).clone();
        let primaries = checker.early(self.item).into_iter().flat_map(|early| &early.primaries);
        primaries.for_each(|primary| clock.facts.join(&primary.in_order));
        checker.include_learnt(&mut clock);
        checker.items.knows_point(&clock, Point { item, block, thread: stamp.thread(), time: stamp.time() })
    }

    /// Is the access known to the thread by nothing but a fence before the trigger of a prerequisite?
    pub fn relies_on_fence(&self, checker: &Checker, thread: u16, stamp: Stamp) -> bool {
        let Some(unfenced) = &self.side.unfenced else { return false };
        let Some((item, block)) = checker.segment(stamp.time()) else { return false };
        let point = Point { item, block, thread: stamp.thread(), time: stamp.time() };
        item != self.item
            && !self.knows_wait(thread)
            && !checker.items.knows_point(unfenced, point)
            && checker.items.knows_point(self.start(), point)
    }

    /// Was it, or may it have been, written while the grid was alive already, though it may start early?
    pub fn written_beside(&self, checker: &Checker, stamp: Stamp) -> bool {
        let Some((item, block)) = checker.segment(stamp.time()) else { return false };
        let point = Point { item, block, thread: stamp.thread(), time: stamp.time() };
        self.side.early && item != self.item && !checker.items.knows_point(self.start(), point)
    }

    /// May its grid run beside others that it depends on?
    pub fn is_early(&self) -> bool {
        self.side.early
    }
}
