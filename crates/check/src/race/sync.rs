//! What atomics carry from one thread to another (PTX memory model, "synchronizes-with"): a release pattern on a location, seen by an
//! acquire pattern on it.
//!
//! A location's log has what was released through it, one entry a release. A read-modify-write goes on with the log (a release
//! sequence), a store begins a new one. Who reads remembers how far the log went; the acquire, which may be a later fence, joins it.

use crate::stamp::Strength;
use hotfire_launch::order::Clock;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Who can see a release, or whose an acquire can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The scope.
    pub scope: Strength,
    /// The block, as grid and index; [`HOST`] is host code.
    pub block: (u32, u32),
}

/// Host code, as a block.
pub const HOST: (u32, u32) = (0, 0);

impl Reach {
    /// Do the two include each other?
    pub fn meets(self, other: Reach) -> bool {
        let covers = |a: Reach, b: Reach| match a.scope {
            _ if a.block == b.block => true,
            Strength::System => true,
            Strength::Device => b.block != HOST,
            Strength::Block | Strength::Weak => false,
        };
        covers(self, other) && covers(other, self)
    }
}

#[derive(Debug)]
struct Released {
    clock: Clock,
    reach: Reach,
}

type Log = Rc<RefCell<Vec<Released>>>;

/// What a thread has read and not acquired yet.
#[derive(Clone, Debug)]
pub struct Seen {
    log: Log,
    upto: usize,
    /// Scope of the reading access.
    reach: Reach,
}

impl Seen {
    /// Is it of the same log, which only grows?
    pub fn same_log(&self, other: &Seen) -> bool {
        Rc::ptr_eq(&self.log, &other.log)
    }

    /// Joins what was seen into a clock, as far as an acquire of this reach may.
    pub fn acquire(&self, reach: Reach, clock: &mut Clock) {
        for released in &self.log.borrow()[..self.upto] {
            if released.reach.meets(self.reach) && released.reach.meets(reach) {
                clock.join(&released.clock);
            }
        }
    }
}

/// All locations through which something was released.
#[derive(Default)]
pub struct Locations {
    logs: HashMap<u64, (u64, Log)>,
    /// Logs so far.
    count: u64,
}

// SAFETY: the logs are shared by the locations and the threads of one checker only, which goes from host thread to host thread as a
// whole, under a lock.
unsafe impl Send for Locations {}

impl Locations {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.logs.clear();
    }

    /// What a strong read of the location sees.
    pub fn read(&self, address: u64, reach: Reach) -> Option<Seen> {
        let (_, log) = self.logs.get(&address)?;
        Some(Seen { log: log.clone(), upto: log.borrow().len(), reach })
    }

    /// A strong write, with what it releases. An atomic goes on with the log.
    pub fn write(&mut self, address: u64, atomic: bool, released: Option<(Clock, Reach)>) {
        if !atomic {
            self.logs.remove(&address);
        }
        if let Some((clock, reach)) = released {
            let Locations { logs, count } = self;
            let (_, log) = logs.entry(address).or_insert_with(|| {
                *count += 1;
                (*count, Log::default())
            });
            log.borrow_mut().push(Released { clock, reach });
        }
    }

    /// The number of the location's log, if anything was released through it.
    pub fn log(&self, address: u64) -> Option<u64> {
        self.logs.get(&address).map(|(number, _)| *number)
    }

    /// Is there nothing?
    pub fn is_empty(&self) -> bool {
        self.logs.is_empty()
    }
}
