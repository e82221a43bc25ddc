//! Copies, sets, releases of memory, and host code: ranges of bytes.

use super::checker::Checker;
use super::word::{self, Problem, View};
use crate::stamp::{Stamp, Strength, WHOLE};
use hotfire_launch::order::{Clock, ItemId, Point};

/// An access to a range by an operation of a stream.
#[derive(Clone, Copy, Debug)]
pub struct RangeAccess {
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
    /// It writes.
    pub write: bool,
}

/// An operation, or host code.
enum Party<'a> {
    Operation { item: ItemId, clock: &'a Clock },
    Host,
}

impl View for Party<'_> {
    fn knows(&self, checker: &Checker, stamp: Stamp) -> bool {
        match self {
            Party::Host => checker.host_knows(stamp),
            Party::Operation { item, clock } => match checker.segment(stamp.time()) {
                None => true,
                Some((other, _)) if other == *item => true,
                Some((item, block)) => {
                    let point = Point { item, block, thread: stamp.thread(), time: stamp.time() };
                    checker.items.knows_point(clock, point)
                }
            },
        }
    }

    fn same_block(&self, _: &Checker, _: Stamp) -> bool {
        false
    }

    fn same_grid(&self, _: &Checker, _: Stamp) -> bool {
        false
    }
}

impl Checker {
    /// An operation of a stream starts: the time of its accesses.
    pub fn operation(&mut self, item: ItemId) -> u32 {
        self.start(item);
        self.tick(item, 0)
    }

    /// An operation accesses a range; the first problem.
    pub fn operate(&mut self, item: ItemId, time: u32, access: RangeAccess) -> Option<Problem> {
        let clock = self.own_start(item);
        let stamp = Stamp::new(time, 0, Strength::Weak, 0);
        self.range(&Party::Operation { item, clock: &clock }, stamp, access)
    }

    /// Host code accesses a range by a call, or by loads and stores; `site` is where.
    pub fn host_access(&mut self, access: RangeAccess, site: u32) -> Option<Problem> {
        let strong = access.bytes <= 8 && access.address.is_multiple_of(access.bytes.max(1));
        let strength = if strong { Strength::System } else { Strength::Weak };
        let stamp = Stamp::new(self.host_time(), 0, strength, site);
        if access.bytes <= 8 {
            self.host_flag(access);
        }
        self.range(&Party::Host, stamp, access)
    }

    /// The flag protocols (launch-model 2.4): a small aligned host access is a strong one at system scope, and on x86 orders what
    /// the host did before and does after.
    fn host_flag(&mut self, access: RangeAccess) {
        let reach = super::sync::Reach { scope: Strength::System, block: super::sync::HOST };
        let word = access.address & !3;
        if access.write {
            let clock = self.host_release();
            self.locations.write(word, false, Some((clock, reach)));
        } else if let Some(seen) = self.locations.read(word, reach) {
            let mut clock = Clock::default();
            seen.acquire(reach, &mut clock);
            self.host_learns(&clock);
        }
    }

    fn range(&mut self, party: &Party<'_>, stamp: Stamp, access: RangeAccess) -> Option<Problem> {
        let end = access.address + access.bytes;
        let mut at = access.address;
        let mut problem = None;
        while at < end {
            let offset = at % 4;
            let count = (4 - offset).min(end - at);
            let mask = (((1u32 << count) - 1) << offset) & WHOLE;
            let now = stamp.of_bytes(mask);
            let Ok(cell) = self.shadow.cell(at) else { return problem };
            let found = if access.write {
                word::write(self, party, cell, now, || false).map(|(before, wrote, _)| (before, wrote))
            } else {
                let mut set = false;
                word::read(self, party, cell, now, &mut set)
            };
            if let Some((before, wrote)) = found {
                problem.get_or_insert(Problem::Race { before, wrote, address: at });
            }
            at += count;
        }
        problem
    }

    /// What was written in a range was written long ago, and nobody reads it.
    pub(super) fn age(&mut self, address: u64, bytes: u64) {
        let mut at = address & !3;
        while at < address + bytes {
            let Ok(cell) = self.shadow.cell(at) else { return };
            // SAFETY: the cell's places lie in the shadow, which nobody else uses now.
            unsafe {
                let writer = *cell.writer;
                if writer.split_index().is_none() && !writer.is_none() {
                    *cell.writer = if writer.set_bytes() == WHOLE {
                        Stamp::ANCIENT
                    } else {
                        Stamp::ANCIENT.of_bytes(writer.mask())
                    };
                }
                if !(*cell.reader).is_none() {
                    *cell.reader = Stamp::NONE;
                    *cell.second = Stamp::NONE;
                }
            }
            at += 4;
        }
    }

    /// A range is set from outside of all order: fresh variables of a module, memory that host code may have written before.
    pub fn preset(&mut self, address: u64, bytes: u64) {
        let mut at = address & !3;
        while at < address + bytes {
            let Ok(cell) = self.shadow.cell(at) else { return };
            // SAFETY: the cell's place lies in the shadow, which nobody else uses now.
            unsafe { *cell.writer = Stamp::ANCIENT };
            at += 4;
        }
    }
}
