//! What the threads of one block know: barriers, warps, fences.
//!
//! Most threads know the same: what the grid started with, and all that the block did before its last barrier. That is one number.
//! Only a thread that learnt more by itself (a fence behind an atomic, a barrier of some threads only) has a clock of its own.

use super::checker::Checker;
use super::early::Side;
use super::sync::{Reach, Seen};
use crate::shadow::SharedShadow;
use crate::stamp::{Stamp, Strength};
use hotfire_launch::order::{Clock, ItemId, Known, NO_ITEM, Point};
use std::cell::Cell;
use std::sync::Arc;

const LANES: usize = 32;

/// What a single thread has to itself.
#[derive(Default)]
pub(super) struct Thread {
    /// Instead of the block's.
    pub clock: Option<Clock>,
    /// What its last fence covers, for strong writes to publish.
    pub fence: Option<(Clock, Strength)>,
    /// What it read and has not acquired.
    pub seen: Vec<Seen>,
    /// The log that it released its last fence to.
    pub released: Option<u64>,
}

/// The order of one block.
pub struct BlockOrder {
    /// Its grid.
    pub item: ItemId,
    /// Its linear index.
    pub block: u32,
    /// When it began.
    pub since: u32,
    /// What its grid started with.
    start: Arc<Clock>,
    /// All that its threads did before is known to all of them.
    pub(super) epoch: u32,
    /// The same for each warp.
    warps: [u32; LANES],
    /// What all threads learnt besides.
    clock: Option<Clock>,
    /// What fences before the last barrier cover.
    fence: Option<(Clock, Strength)>,
    threads: Vec<Option<Box<Thread>>>,
    any: bool,
    /// Who arrived at a barrier without waiting, by barrier.
    passed: Vec<(u32, Party)>,
    /// The last answers about other items.
    verdicts: [Cell<(ItemId, bool)>; 4],
    /// The allocation that was found last.
    pub allocation: Option<Allocation>,
    /// Threads of other blocks may reach its shared memory.
    pub is_shared: bool,
    /// Its shared memory.
    pub shared: SharedShadow,
    /// The early start of its grid.
    pub(super) side: Side,
}

/// An allocation, as long as none was made or freed since.
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    /// First address.
    pub start: u64,
    /// First address behind.
    pub end: u64,
    /// [`Checker::memory`] when it was found.
    pub memory: u64,
}

impl Allocation {
    /// Does an access lie inside?
    #[inline(always)]
    pub fn holds(self, checker: &Checker, address: u64, size: u32) -> bool {
        self.memory == checker.memory && address >= self.start && address + u64::from(size) <= self.end
    }
}

/// A thread that takes part in a barrier, with its present time.
#[derive(Clone, Copy, Debug)]
pub struct Party {
    /// Linear index.
    pub thread: u16,
    /// Its time.
    pub time: u32,
}

impl BlockOrder {
    /// A block for use with [`begin`](Self::begin).
    pub fn new() -> Box<BlockOrder> {
        Box::new(BlockOrder {
            item: NO_ITEM,
            block: 0,
            since: 0,
            start: Arc::default(),
            epoch: 0,
            warps: [0; LANES],
            clock: None,
            fence: None,
            threads: Vec::new(),
            any: false,
            passed: Vec::new(),
            verdicts: Default::default(),
            allocation: None,
            is_shared: false,
            shared: SharedShadow::default(),
            side: Side::default(),
        })
    }

    /// Becomes a block of a grid that starts with `start`; the time of its threads.
    pub fn begin(&mut self, checker: &mut Checker, item: ItemId, block: u64, start: &Arc<Clock>, shared: u32) -> u32 {
        if self.item != item {
            self.item = item;
            self.start = start.clone();
            self.verdicts = Default::default();
            // Times of the shadow may be of a block that lived before the floor.
            self.shared.clear(&mut checker.shadow.splits);
            self.shared.resize(shared);
            self.side.begin_grid(checker, item);
        }
        self.side.begin();
        self.block = block as u32;
        self.epoch = 0;
        self.warps = [0; LANES];
        self.clock = None;
        self.fence = None;
        if self.any {
            self.threads.iter_mut().for_each(|thread| *thread = None);
            self.any = false;
        }
        self.passed.clear();
        self.since = checker.tick(item, self.block);
        self.since
    }

    /// What came before this time in the block is known to all its threads.
    #[inline(always)]
    pub fn met(&self) -> u32 {
        self.epoch.max(self.since)
    }

    fn own(&self, thread: u16) -> Option<&Thread> {
        if !self.any {
            return None;
        }
        self.threads.get(usize::from(thread))?.as_deref()
    }

    pub(super) fn own_mut(&mut self, thread: u16) -> &mut Thread {
        let index = usize::from(thread);
        if self.threads.len() <= index {
            self.threads.resize_with(index + 1, || None);
        }
        self.any = true;
        self.threads[index].get_or_insert_default()
    }

    /// Does anyone have something to itself?
    pub(super) fn has_own(&self, thread: u16) -> bool {
        self.own(thread).is_some()
    }

    pub(super) fn clock(&self, thread: u16) -> &Clock {
        let own = self.own(thread).and_then(|own| own.clock.as_ref());
        own.or(self.clock.as_ref()).or_else(|| self.side.after(thread)).unwrap_or(&self.start)
    }

    /// What all threads of the grid start with.
    pub(super) fn start(&self) -> &Clock {
        &self.start
    }

    /// Does the thread know more than the grid started with and, perhaps, what a wait taught it?
    pub(super) fn learns_apart(&self, thread: u16) -> bool {
        self.clock.is_some() || self.own(thread).is_some_and(|own| own.clock.is_some())
    }

    /// Is what a stamp says known to a thread of this block?
    #[inline(always)]
    pub fn knows(&self, checker: &Checker, thread: u16, stamp: Stamp) -> bool {
        let time = stamp.time();
        if time < checker.floor {
            return true;
        }
        let Some((item, block)) = checker.segment(time) else { return true };
        if item == self.item && block == self.block {
            let warp = usize::from(thread) / LANES;
            if stamp.thread() == thread
                || time < self.epoch
                || (usize::from(stamp.thread()) / LANES == warp && time < self.warps[warp])
            {
                return true;
            }
            if !self.has_learnt() {
                return false;
            }
        }
        self.knows_far(checker, thread, Point { item, block, thread: stamp.thread(), time })
    }

    #[inline(never)]
    fn knows_far(&self, checker: &Checker, thread: u16, point: Point) -> bool {
        if point.item != self.item && point.item != NO_ITEM {
            let slot = &self.verdicts[point.item.0 as usize % 4];
            let (item, known) = slot.get();
            if item != point.item {
                let known = checker.items.knows(&self.start, point.item);
                slot.set((point.item, known));
                if known {
                    return true;
                }
            } else if known {
                return true;
            }
        }
        checker.items.knows_point(self.clock(thread), point)
    }

    /// All that a thread knows, its own past up to `time` included.
    pub fn knowledge(&self, thread: u16, time: u32) -> Clock {
        let mut clock = self.clock(thread).clone();
        let mut known = Known { all: self.epoch.saturating_sub(1), threads: Vec::new() };
        let warp = usize::from(thread) / LANES;
        if self.warps[warp] > self.epoch {
            let upto = self.warps[warp] - 1;
            (0..LANES).for_each(|lane| known.learn((warp * LANES + lane) as u16, upto));
        }
        known.learn(thread, time);
        clock.learn(self.item, self.block, &known);
        clock
    }

    /// All of the block's live threads meet. Their new time.
    pub fn barrier(&mut self, checker: &mut Checker, parties: &[Party]) -> u32 {
        if self.has_individual() {
            let mut fence = self.fence.take();
            let mut clock = self.clock.take();
            if let Some(after) = self.side.take() {
                clock.get_or_insert_with(|| Clock::clone(&self.start)).join(after);
            }
            for party in parties {
                let Some(own) = self.threads.get_mut(usize::from(party.thread)).and_then(Option::as_mut) else {
                    continue;
                };
                if let Some(more) = own.clock.take() {
                    clock.get_or_insert_with(|| Clock::clone(&self.start)).join(&more);
                }
                join_fence(&mut fence, own.fence.take());
                own.released = None;
            }
            self.clock = clock;
            self.fence = fence;
        }
        self.epoch = checker.tick(self.item, self.block);
        self.epoch
    }

    /// Lanes of one warp meet: all of its live ones if `whole`. Their new time.
    pub fn warp_barrier(&mut self, checker: &mut Checker, parties: &[Party], whole: bool) -> u32 {
        let apart = |party: &Party| self.side.after(party.thread).is_some();
        let own = parties.iter().any(|party| self.has_own(party.thread))
            || parties.iter().any(|party| apart(party) != apart(&parties[0]));
        let time =
            if whole && !own { checker.tick(self.item, self.block) } else { self.some_meet(checker, parties, parties) };
        if whole && let Some(first) = parties.first() {
            self.warps[usize::from(first.thread) / LANES] = time;
        }
        time
    }

    /// Has any thread learnt from others than its own block, by atomics or barriers of its own?
    #[inline(always)]
    pub(super) fn has_learnt(&self) -> bool {
        self.any || self.clock.is_some()
    }

    /// Does any thread know something that not all of the block know?
    pub fn has_individual(&self) -> bool {
        self.any || self.side.any()
    }

    /// A thread arrives at a barrier without waiting; its new time.
    pub fn pass(&mut self, checker: &mut Checker, barrier: u32, party: Party) -> u32 {
        self.passed.push((barrier, party));
        checker.tick(self.item, self.block)
    }

    /// Who passed a barrier that is complete now.
    pub fn take_passed(&mut self, barrier: u32) -> Vec<Party> {
        self.passed.extract_if(.., |(id, _)| *id == barrier).map(|(_, party)| party).collect()
    }

    /// Some threads meet: `leaving` learn what `arrived` know. The new time of those that leave.
    pub fn some_meet(&mut self, checker: &mut Checker, arrived: &[Party], leaving: &[Party]) -> u32 {
        let mut clock = Clock::default();
        let mut fence = None;
        for party in arrived {
            clock.join(&self.knowledge(party.thread, party.time));
            join_fence(&mut fence, self.fence_of(party.thread));
        }
        let time = checker.tick(self.item, self.block);
        for party in leaving {
            let own = self.own_mut(party.thread);
            own.clock = Some(clock.clone());
            own.released = None;
            if fence.is_some() {
                own.fence.clone_from(&fence);
            }
        }
        time
    }

    pub(super) fn fence_of(&self, thread: u16) -> Option<(Clock, Strength)> {
        self.own(thread).and_then(|own| own.fence.clone()).or_else(|| self.fence.clone())
    }

    /// A fence: what the thread read before is acquired, and what it did before can be released. Its new time.
    pub fn fence(&mut self, checker: &mut Checker, thread: u16, time: u32, scope: Strength) -> u32 {
        let reach = self.reach(scope);
        self.acquire(checker, thread, reach);
        let clock = self.knowledge(thread, time);
        let own = self.own_mut(thread);
        own.fence = Some((clock, scope));
        own.released = None;
        checker.tick(self.item, self.block)
    }

    /// Acquires what the thread has read so far. True if it learnt something: then it needs a new time, for threads that share one
    /// have not met.
    pub(super) fn acquire(&mut self, checker: &mut Checker, thread: u16, reach: Reach) -> bool {
        let Some(own) = self.own(thread) else { return false };
        if own.seen.is_empty() {
            return false;
        }
        let mut clock = self.clock(thread).clone();
        let before = clock.clone();
        let own = self.own_mut(thread);
        own.seen.iter().for_each(|seen| seen.acquire(reach, &mut clock));
        own.seen.clear();
        let learnt = clock != before;
        if learnt {
            checker.acquired(self.item, &clock);
            self.own_mut(thread).clock = Some(clock);
        }
        learnt
    }

    /// What a strong write of the thread releases: what its last fence covers, or all for a release. With the new time for a release.
    pub(super) fn release(
        &mut self,
        checker: &mut Checker,
        thread: u16,
        time: u32,
        scope: Strength,
        all: bool,
        again: Option<u64>,
    ) -> (Option<(Clock, Reach)>, u32) {
        if all {
            let clock = self.knowledge(thread, time);
            return (Some((clock, self.reach(scope))), checker.tick(self.item, self.block));
        }
        // An atomic whose log has the same fence already: polling adds nothing.
        if again.is_some() && self.own(thread).is_some_and(|own| own.released == again) {
            return (None, time);
        }
        let fence = self.fence_of(thread);
        if fence.is_some() {
            self.own_mut(thread).released = again;
        }
        (fence.map(|(clock, fence)| (clock, self.reach(scope.min(fence)))), time)
    }

    /// Whom an access of this scope reaches.
    pub(super) fn reach(&self, scope: Strength) -> Reach {
        Reach { scope, block: (self.item.0, self.block) }
    }

    /// The thread launches or hands on its knowledge in another way; its new time.
    pub fn hand_on(&mut self, checker: &mut Checker, thread: u16, time: u32) -> (Clock, u32) {
        (self.knowledge(thread, time), checker.tick(self.item, self.block))
    }

    /// Is a point known to a thread of this block?
    pub fn knows_point(&self, checker: &Checker, thread: u16, point: Point) -> bool {
        self.knows(checker, thread, Stamp::new(point.time, point.thread, Strength::Weak, 0))
    }
}

fn join_fence(fence: &mut Option<(Clock, Strength)>, more: Option<(Clock, Strength)>) {
    match (fence, more) {
        (_, None) => {}
        (Some((clock, scope)), Some((more, other))) => {
            clock.join(&more);
            *scope = (*scope).min(other);
        }
        (fence @ None, more) => *fence = more,
    }
}
