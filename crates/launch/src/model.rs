//! The model's state, and questions about it.

use crate::edge::Edges;
use crate::handle::{Item, Stream, next_generation};
use crate::host::HostStreams;
use crate::node::{Kind, NONE, Node, Queue, Stage};
use crate::order::HostLines;
use crate::owned::Owned;
use crate::policy::{Choice, Log, Policy, Scheduler, Situation};
use crate::pool::Pool;
use crate::recording::Recording;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::num::NonZeroU32;

/// Sizes that the host may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Launch slots for device launches (`cudaLimitDevRuntimePendingLaunchCount`, 3.5).
    pub pending_launches: u32,
    /// Grids that the device keeps resident at once (2.7). The model promises no co-residency and does not enforce it.
    pub resident_grids: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { pending_launches: 2048, resident_grids: 128 }
    }
}

/// The launch model; see the crate's documentation.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) nodes: Vec<Node>,
    /// Slots of items whose completion was drained.
    free: Vec<u32>,
    pub(crate) edges: Edges,
    pub(crate) hosts: HostStreams,
    /// Happens-before between items of host streams; off unless [enabled](HostLines::enable).
    pub order: HostLines,
    /// Last unfinished item of the NULL stream of a block: (launching grid, block).
    pub(crate) block_streams: HashMap<(u32, u64), Item, BuildHasherDefault<BlockHasher>>,
    pub(crate) device_streams: Owned,
    pub(crate) device_events: Owned,
    pub(crate) pool: Pool,
    pub(crate) scheduler: Scheduler,
    pub(crate) log: Log,
    /// Items that may start, those that the policy holds back included.
    pub(crate) startable: usize,
    pub(crate) completed: Vec<Item>,
    /// Items that ran beside their prerequisites until now.
    pub(crate) untied: Vec<Item>,
    /// What the kernel that was submitted last depends on programmatically.
    pub(crate) primaries: Vec<Item>,
    /// Items that reach a new stage in the current call.
    pub(crate) advancing: VecDeque<u32>,
    live: usize,
    ordinal: u64,
    resident_grids: u32,
    /// The commands that it was given, if somebody asks.
    pub(crate) recording: Option<Box<Recording>>,
}

impl Model {
    /// An idle device.
    pub fn new(limits: Limits, policy: Policy) -> Model {
        Model {
            nodes: Vec::new(),
            free: Vec::new(),
            edges: Edges::new(),
            hosts: HostStreams::new(),
            order: HostLines::default(),
            block_streams: HashMap::default(),
            device_streams: Owned::new(),
            device_events: Owned::new(),
            pool: Pool::new(limits.pending_launches),
            log: Log::new(&policy),
            scheduler: Scheduler::new(policy),
            startable: 0,
            completed: Vec::new(),
            untied: Vec::new(),
            primaries: Vec::new(),
            advancing: VecDeque::new(),
            live: 0,
            ordinal: 0,
            resident_grids: limits.resident_grids,
            recording: None,
        }
    }

    /// The limits as they are now.
    pub fn limits(&self) -> Limits {
        Limits { pending_launches: self.pool.size, resident_grids: self.resident_grids }
    }

    /// Is the item over, its tails and everything it launched included? True for every handle of the past.
    pub fn is_complete(&self, item: Item) -> bool {
        self.node(item).is_none()
    }

    /// How far the item has come.
    pub fn stage(&self, item: Item) -> Stage {
        self.node(item).map_or(Stage::Complete, |node| node.stage)
    }

    /// The grid whose thread launched the item; `None` for the host's items and for completed ones.
    pub fn launcher(&self, item: Item) -> Option<Item> {
        self.node(item).and_then(|node| node.launcher)
    }

    /// Is nothing left to run?
    pub fn all_idle(&self) -> bool {
        self.live == 0
    }

    /// Items that are not complete.
    pub fn unfinished(&self) -> usize {
        self.live
    }

    /// The items that became complete since the last call, in that order. An item's [index](Item::index) is reused
    /// only after this, so a device must drain, and can keep what it knows of an item in a table by index.
    pub fn drain_completed(&mut self) -> std::vec::Drain<'_, Item> {
        // Backwards, so that the one that completed first is reused first: runs of a program look alike.
        self.free.extend(self.completed.iter().rev().map(|item| item.index));
        self.completed.drain(..)
    }

    /// The policy picks an item that may start, and marks it as started; `None` if none may, or if the policy rather
    /// waits. It never waits when the situation is `Idle`.
    ///
    /// Under [`Policy::Latest`], `None` in `Stuck` with [`Model::startable`] not empty means that what runs waits for
    /// something whose start nothing promises.
    pub fn next(&mut self, situation: Situation) -> Option<Item> {
        if self.startable == 0 {
            return None;
        }
        let picked = self.scheduler.schedule().pick(situation).map(|candidate| candidate.index);
        self.log.record(picked.map(|index| self.nodes[index as usize].ordinal));
        picked.map(|index| self.started(index))
    }

    /// Starts this item, whatever the policy would pick. False if it may not start.
    pub fn start(&mut self, item: Item) -> bool {
        if self.stage(item) != Stage::Startable {
            return false;
        }
        let held = std::mem::take(&mut self.nodes[item.index as usize].held);
        if !held && !self.scheduler.schedule().remove(item.index) {
            self.unhold(item.index);
        }
        self.log.record(Some(self.nodes[item.index as usize].ordinal));
        self.started(item.index);
        true
    }

    /// All items that may start. Walks everything.
    pub fn startable(&self) -> Vec<Item> {
        let startable = |&index: &u32| self.nodes[index as usize].stage == Stage::Startable;
        (0..self.nodes.len() as u32).filter(startable).map(|index| self.item(index)).collect()
    }

    /// What the policy chose so far, for [`Policy::Replay`]. Empty under [`Policy::Eager`], which leaves no choice.
    pub fn choices(&self) -> &[Choice] {
        self.log.choices()
    }

    /// Did a replayed choice turn out impossible, so that this run is not the recorded one?
    pub fn diverged(&self) -> bool {
        self.scheduler.diverged()
    }

    fn started(&mut self, index: u32) -> Item {
        self.startable -= 1;
        let node = &mut self.nodes[index as usize];
        debug_assert_eq!(node.stage, Stage::Startable);
        node.stage = Stage::Running;
        self.item(index)
    }

    pub(crate) fn add(&mut self, kind: Kind, queue: Queue) -> u32 {
        let ordinal = self.ordinal;
        self.ordinal += 1;
        self.live += 1;
        match self.free.pop() {
            Some(index) => {
                let node = &mut self.nodes[index as usize];
                *node = Node::new(node.generation, kind, queue, ordinal);
                index
            }
            None => {
                assert!(self.nodes.len() < NONE as usize, "too many items at once");
                self.nodes.push(Node::new(NonZeroU32::MIN, kind, queue, ordinal));
                self.nodes.len() as u32 - 1
            }
        }
    }

    /// The item is over: its handle is recognised as complete from here on.
    pub(crate) fn retire(&mut self, index: u32) {
        let item = self.item(index);
        let node = &mut self.nodes[index as usize];
        node.stage = Stage::Complete;
        node.generation = next_generation(node.generation);
        self.completed.push(item);
        self.live -= 1;
    }

    pub(crate) fn item(&self, index: u32) -> Item {
        Item { index, generation: self.nodes[index as usize].generation }
    }

    pub(crate) fn node(&self, item: Item) -> Option<&Node> {
        // A slot whose item is complete already has its next generation, which nobody can hold.
        self.nodes.get(item.index as usize).filter(|node| node.generation == item.generation)
    }

    /// The launching grid's index; it must be running, since only its threads launch.
    pub(crate) fn launching(&self, launcher: Item) -> u32 {
        let running = self.node(launcher).is_some_and(|node| node.kind == Kind::Grid && node.stage == Stage::Running);
        assert!(running, "only a running grid launches");
        launcher.index
    }
}

/// Hash of a grid's index and a block's number: two words, no adversary to fear but a bad spread, hence the multiplies.
#[derive(Clone, Default)]
pub(crate) struct BlockHasher(u64);

impl Hasher for BlockHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

const _: () = assert!(size_of::<Option<Item>>() == 8 && Stream::LEGACY.index == 0);
