//! What an agent knows.

use super::facts::Facts;
use super::items::ItemId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Something that a thread did: all up to that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// The grid or operation.
    pub item: ItemId,
    /// Linear index of the block.
    pub block: u32,
    /// Linear index of the thread in its block.
    pub thread: u16,
    /// When.
    pub time: u32,
}

/// What is known of one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Of every thread, all up to this time.
    pub all: u32,
    /// Of single threads, all up to a time, in the order of the threads.
    pub threads: Vec<(u16, u32)>,
}

impl Known {
    /// Is what the thread did at that time known?
    pub fn covers(&self, thread: u16, time: u32) -> bool {
        time <= self.all
            || self
                .threads
                .binary_search_by_key(&thread, |&(known, _)| known)
                .is_ok_and(|at| time <= self.threads[at].1)
    }

    /// Learns of one thread.
    pub fn learn(&mut self, thread: u16, time: u32) {
        if self.covers(thread, time) {
            return;
        }
        match self.threads.binary_search_by_key(&thread, |&(known, _)| known) {
            Ok(index) => self.threads[index].1 = time,
            Err(index) => self.threads.insert(index, (thread, time)),
        }
    }

    fn includes(&self, other: &Known) -> bool {
        other.all <= self.all && other.threads.iter().all(|&(thread, time)| self.covers(thread, time))
    }

    fn join(&mut self, other: &Known) {
        self.all = self.all.max(other.all);
        other.threads.iter().for_each(|&(thread, time)| self.learn(thread, time));
        let all = self.all;
        self.threads.retain(|&(_, time)| time > all);
    }
}

type Blocks = BTreeMap<(ItemId, u32), Known>;

/// What an agent knows: complete items, the host's past, points of threads. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Items known to be complete.
    pub facts: Facts,
    /// All that host code did up to this time is known.
    pub host: u32,
    threads: Option<Arc<Blocks>>,
}

impl Clock {
    /// Is the point known through what was learnt of its block?
    pub fn knows_thread(&self, point: Point) -> bool {
        let known = self.threads.as_ref().and_then(|blocks| blocks.get(&(point.item, point.block)));
        known.is_some_and(|known| known.covers(point.thread, point.time))
    }

    /// Does it know of threads of items that are not complete?
    pub fn has_threads(&self) -> bool {
        self.threads.is_some()
    }

    /// Learns of a block.
    pub fn learn(&mut self, item: ItemId, block: u32, known: &Known) {
        let blocks = Arc::make_mut(self.threads.get_or_insert_default());
        blocks.entry((item, block)).or_default().join(known);
    }

    /// Does it know all that `other` knows?
    pub fn includes(&self, other: &Clock) -> bool {
        other.host <= self.host
            && other.facts.iter().all(|fact| self.facts.knows(fact))
            && match (&self.threads, &other.threads) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(own), Some(other)) => {
                    Arc::ptr_eq(own, other)
                        || other.iter().all(|(key, known)| own.get(key).is_some_and(|own| own.includes(known)))
                }
            }
    }

    /// Learns all that `other` knows.
    pub fn join(&mut self, other: &Clock) {
        self.facts.join(&other.facts);
        self.host = self.host.max(other.host);
        let Some(theirs) = &other.threads else { return };
        let Some(own) = &mut self.threads else {
            self.threads = Some(theirs.clone());
            return;
        };
        if Arc::ptr_eq(own, theirs) {
            return;
        }
        let missing = |(key, known): &(&(ItemId, u32), &Known)| !own.get(*key).is_some_and(|own| own.includes(known));
        if !theirs.iter().any(|entry| missing(&entry)) {
            return;
        }
        if own.len() < theirs.len() && own.iter().all(|(key, known)| theirs.get(key).is_some_and(|t| t.includes(known)))
        {
            *own = theirs.clone();
            return;
        }
        let blocks = Arc::make_mut(own);
        theirs.iter().for_each(|(&key, known)| blocks.entry(key).or_default().join(known));
    }

    /// Forgets threads of items for which `over` holds: they are known to be complete.
    pub fn forget(&mut self, mut over: impl FnMut(ItemId) -> bool) {
        let Some(blocks) = &mut self.threads else { return };
        if blocks.keys().any(|&(item, _)| over(item)) {
            let mut rest = Blocks::clone(blocks);
            rest.retain(|&(item, _), _| !over(item));
            self.threads = (!rest.is_empty()).then(|| Arc::new(rest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(points: &[(u32, u32, u16, u32)]) -> Clock {
        let mut clock = Clock::default();
        for &(item, block, thread, time) in points {
            let mut known = Known::default();
            known.learn(thread, time);
            clock.learn(ItemId(item), block, &known);
        }
        clock
    }

    fn knows(clock: &Clock, (item, block, thread, time): (u32, u32, u16, u32)) -> bool {
        clock.knows_thread(Point { item: ItemId(item), block, thread, time })
    }

    #[test]
    fn points_are_known_up_to_their_time() {
        let clock = clock(&[(1, 0, 3, 10)]);
        assert!(knows(&clock, (1, 0, 3, 10)) && knows(&clock, (1, 0, 3, 2)));
        for unknown in [(1, 0, 3, 11), (1, 0, 2, 1), (1, 1, 3, 1), (2, 0, 3, 1)] {
            assert!(!knows(&clock, unknown), "{unknown:?}");
        }
    }

    #[test]
    fn joins_are_least_upper_bounds() {
        let (a, b) = (clock(&[(1, 0, 3, 10), (1, 1, 0, 4)]), clock(&[(1, 0, 3, 7), (1, 0, 4, 8), (2, 0, 0, 1)]));
        let (mut left, mut right) = (a.clone(), b.clone());
        left.join(&b);
        right.join(&a);
        assert_eq!(left, right);
        assert!(left.includes(&a) && left.includes(&b) && !a.includes(&left) && !b.includes(&left));
        left.forget(|item| item == ItemId(1));
        assert_eq!(left, clock(&[(2, 0, 0, 1)]));
    }

    #[test]
    fn a_barrier_covers_all_threads() {
        let mut clock = clock(&[(1, 0, 3, 10)]);
        clock.learn(ItemId(1), 0, &Known { all: 9, threads: Vec::new() });
        assert!(knows(&clock, (1, 0, 700, 9)) && knows(&clock, (1, 0, 3, 10)) && !knows(&clock, (1, 0, 4, 10)));
    }
}
