//! What the model remembers of one item.

use crate::early::Early;
use crate::handle::Item;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// "No index" in the intrusive lists.
pub(crate) const NONE: u32 = u32::MAX;

/// What an item is, to the one who submits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Work {
    /// A kernel: its blocks are run, and its threads may launch.
    Grid,
    /// A copy, a set, a host function: the device executes it and reports it finished. It takes no launch slot.
    Operation,
}

/// How far an item has come. Edges are satisfied when their source reaches a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Something that it waits for is not over.
    Waiting,
    /// It may start.
    Startable,
    /// It was started.
    Running,
    /// All its blocks have exited; a launch of its threads is not complete.
    Exited,
    /// Exited, and all that its threads launched is complete except for tails: the launch slot is free, tails run.
    Done,
    /// Done, and its tails are complete.
    Complete,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Grid,
    Operation,
    /// Completes by itself as soon as it may start.
    Marker,
}

impl From<Work> for Kind {
    fn from(work: Work) -> Kind {
        match work {
            Work::Grid => Kind::Grid,
            Work::Operation => Kind::Operation,
        }
    }
}

/// Where an item stands in line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queue {
    /// A host stream, by index.
    Host(u32),
    /// The NULL stream of this block of the launching grid.
    Block(u64),
    /// A named stream of the launching grid, by index.
    Named(u32),
    /// None: a stream of its own.
    FireAndForget,
    /// The tail stream of `parent`.
    Tail,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub generation: NonZeroU32,
    /// Edges into it that are not satisfied; for a tail its turn counts as one.
    pub blockers: u32,
    pub stage: Stage,
    pub kind: Kind,
    pub holds_slot: bool,
    pub queue: Queue,
    /// Edges out of it that end with its completion, in the order in which they were made.
    pub first_edge: u32,
    pub last_edge: u32,
    /// Edges out of it that end earlier, see early.rs.
    pub first_early: u32,
    pub last_early: u32,
    /// Prerequisites that it may run beside and that are not complete: it is not done before they are.
    pub ties: u32,
    /// A policy starts it only when there are none.
    pub held: bool,
    /// How far its blocks have come.
    pub begun: Option<Early>,
    /// The grid whose completion waits for this item: its launcher, or, for a tail that a tail handed on, the grid
    /// at whose end the tail stream stands.
    pub parent: u32,
    /// Launches of its threads, tails excepted, that are not complete.
    pub open_children: u32,
    /// Its tail stream: the tail that runs or is next, and the last one.
    pub first_tail: u32,
    pub last_tail: u32,
    /// The tail behind this one in the tail stream of `parent`.
    pub next_tail: u32,
    /// Children that a policy starts only when the threads of this grid have exited.
    pub first_held: u32,
    pub last_held: u32,
    /// The next one in such a list of `parent`.
    pub next_held: u32,
    /// Named streams and events that its threads created.
    pub first_stream: u32,
    pub first_event: u32,
    pub launcher: Option<Item>,
    /// How many items were made before it: its name in a log of choices.
    pub ordinal: u64,
}

impl Node {
    pub fn new(generation: NonZeroU32, kind: Kind, queue: Queue, ordinal: u64) -> Node {
        Node {
            generation,
            blockers: 0,
            stage: Stage::Waiting,
            kind,
            holds_slot: false,
            queue,
            first_edge: NONE,
            last_edge: NONE,
            first_early: NONE,
            last_early: NONE,
            ties: 0,
            held: false,
            begun: None,
            parent: NONE,
            open_children: 0,
            first_tail: NONE,
            last_tail: NONE,
            next_tail: NONE,
            first_held: NONE,
            last_held: NONE,
            next_held: NONE,
            first_stream: NONE,
            first_event: NONE,
            launcher: None,
            ordinal,
        }
    }
}
