//! Policies: which of the items that may start does start, and when.
//!
//! Every choice a policy makes is one that hardware could make (launch-model 2.2, 2.6, 3.1.2), so a program is right
//! only if it is right under all of them.

mod eager;
mod latest;
mod random;
mod replay;

use eager::Eager;
use latest::Latest;
use random::Random;
use replay::Replay;

/// How to choose among the items that may start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// In the order in which they became startable, as soon as they may: what `run` uses.
    Eager,
    /// As late as the contract allows: a device launch not before its launcher's threads have exited (3.1.2), a programmatic dependent
    /// not before what it depends on is complete (4.2), and nothing while something else still makes progress; then the youngest first.
    Latest,
    /// By the seed: any one, sooner or later.
    Random(u64),
    /// As in an earlier run with the same launches, see [`Model::choices`](crate::Model::choices); eager after the end.
    Replay(Vec<Choice>),
}

/// What the device is doing when it asks for an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Situation {
    /// No item is running.
    Idle,
    /// Something runs and makes progress.
    Busy,
    /// Something runs, but all of it waits or spins.
    Stuck,
}

/// One start, as it is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Choice {
    /// How often before it, since the start before, the policy rather waited although something could have started.
    pub deferred: u32,
    /// The item: how many items (markers included) had been made before it.
    pub ordinal: u64,
}

/// An item that may start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub index: u32,
    pub ordinal: u64,
}

/// What a policy does. It is asked to pick only when an item may start, though perhaps only one that is held back.
pub(crate) trait Schedule {
    /// The item may start from now on.
    fn add(&mut self, candidate: Candidate);
    /// The item to start now; it is a candidate no longer.
    fn pick(&mut self, situation: Situation) -> Option<Candidate>;
    /// The item was started by other means; false if it was no candidate.
    fn remove(&mut self, index: u32) -> bool;
}

#[derive(Clone, Debug)]
pub(crate) enum Scheduler {
    Eager(Eager),
    Latest(Latest),
    Random(Random),
    Replay(Replay),
}

impl Scheduler {
    pub fn new(policy: Policy) -> Scheduler {
        match policy {
            Policy::Eager => Scheduler::Eager(Eager::default()),
            Policy::Latest => Scheduler::Latest(Latest::default()),
            Policy::Random(seed) => Scheduler::Random(Random::new(seed)),
            Policy::Replay(choices) => Scheduler::Replay(Replay::new(choices)),
        }
    }

    pub fn schedule(&mut self) -> &mut dyn Schedule {
        match self {
            Scheduler::Eager(schedule) => schedule,
            Scheduler::Latest(schedule) => schedule,
            Scheduler::Random(schedule) => schedule,
            Scheduler::Replay(schedule) => schedule,
        }
    }

    /// Are items no candidates as long as their launcher's threads run, or what they depend on programmatically is not complete?
    pub fn holds_back(&self) -> bool {
        matches!(self, Scheduler::Latest(_))
    }

    pub fn diverged(&self) -> bool {
        matches!(self, Scheduler::Replay(replay) if replay.diverged)
    }
}

/// The log of choices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    off: bool,
    choices: Vec<Choice>,
    deferred: u32,
}

impl Log {
    /// `Eager` leaves no choice, and may run for days: nothing is logged.
    pub fn new(policy: &Policy) -> Log {
        Log { off: *policy == Policy::Eager, ..Log::default() }
    }

    pub fn record(&mut self, ordinal: Option<u64>) {
        if self.off {
            return;
        }
        match ordinal {
            Some(ordinal) => self.choices.push(Choice { deferred: std::mem::take(&mut self.deferred), ordinal }),
            None => self.deferred = self.deferred.saturating_add(1),
        }
    }

    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }
}
