//! Programmatic edges (launch-model 4): a grid that may start before what it depends on is complete.
//!
//! Such a dependency is two edges. The first ends early, when the blocks of the source have begun or triggered, and the item may
//! start. The second, [`EdgeKind::Prerequisite`], ends when the source is complete; until then the item is *tied*: it may run, and even
//! all its blocks may exit, but it is not done, so grids of a stream are complete in order however deep the chain (4.8). The device holds
//! threads that wait for their prerequisites until the item is untied.

use crate::edge::{Edge, EdgeKind};
use crate::handle::{Item, Stream};
use crate::host::Place;
use crate::model::Model;
use crate::node::{Kind, NONE, Queue, Stage, Work};
use crate::policy::Candidate;
use crate::recording::{Command, Manner, stream_number};
use serde::{Deserialize, Serialize};

/// What of a grid a programmatic edge waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Early {
    /// All its blocks have begun.
    Begun,
    /// All its blocks have triggered or exited.
    Triggered,
}

impl Early {
    pub(crate) fn edge(self) -> EdgeKind {
        match self {
            Early::Begun => EdgeKind::LaunchCompletion,
            Early::Triggered => EdgeKind::Programmatic,
        }
    }
}

impl Model {
    /// Queues a kernel with the stream-serialisation attribute: if the action before it in the stream is a kernel, it may start once that
    /// one has triggered. A copy, a set, a host function, a timed record or a wait for something that is not complete in between breaks
    /// that (4.10); records without a time, waits that need not wait and releases of memory do not.
    ///
    /// # Panics
    /// If the stream does not exist.
    pub fn submit_programmatic(&mut self, stream: Stream) -> Item {
        let item = self.enqueue(stream, Kind::Grid, Place { programmatic: true, ..Place::default() });
        self.submitted(stream, Work::Grid, Manner::Programmatic, item)
    }

    /// A marker that completes by itself once the grid has come so far: an event that an attribute of its launch records. It has no place
    /// in the stream. Whoever waits for it depends on nothing else; see [`Model::wait_early`] for the dependency.
    pub fn record_early(&mut self, item: Item, early: Early) -> Item {
        let node = self.add(Kind::Marker, Queue::FireAndForget);
        self.connect_early(early, item, node);
        let marker = self.item(node);
        let number = self.make_known(marker);
        self.tell(|of| Command::RecordEarly { item: of(item), early, marker: number });
        if self.nodes[node as usize].blockers == 0 {
            self.unblocked(node);
            self.advance();
        }
        marker
    }

    /// The next kernel of the stream depends programmatically on a grid: the stream waits for an event that the grid's launch recorded for
    /// its trigger. What is no kernel waits for the grid's completion.
    ///
    /// # Panics
    /// If the stream does not exist.
    pub fn wait_early(&mut self, stream: Stream, item: Item) {
        self.hosts.wait_early(stream, item);
        self.tell(|of| Command::WaitEarly { stream: stream_number(stream), item: of(item) });
    }

    /// All blocks of a running grid have come so far. Repeats do nothing; a grid whose blocks have all exited need not say so.
    pub fn reached(&mut self, item: Item, early: Early) {
        if self.stage(item) == Stage::Running {
            self.reach(item.index, early);
            self.advance();
        }
    }

    /// Has a grid, if it is not complete, come so far?
    pub fn has_reached(&self, item: Item, early: Early) -> bool {
        self.node(item).is_none_or(|node| node.begun >= Some(early))
    }

    /// May the item run before all that it depends on is complete? It may not have started.
    pub fn is_tied(&self, item: Item) -> bool {
        self.node(item).is_some_and(|node| node.ties > 0)
    }

    /// What the kernel that was submitted last depends on programmatically, as far as it is not complete.
    pub fn primaries(&self) -> &[Item] {
        &self.primaries
    }

    /// Is a kernel queued that may start as soon as this grid has come so far?
    pub fn has_dependents(&self, item: Item) -> bool {
        self.node(item).is_some_and(|node| node.first_early != NONE)
    }

    /// The items whose prerequisites became complete since the last call: what waits in them goes on.
    pub fn drain_untied(&mut self) -> std::vec::Drain<'_, Item> {
        self.untied.drain(..)
    }

    pub(crate) fn reach(&mut self, from: u32, early: Early) {
        let source = &mut self.nodes[from as usize];
        if source.begun >= Some(early) {
            return;
        }
        source.begun = Some(early);
        let mut edge = std::mem::replace(&mut source.first_early, NONE);
        source.last_early = NONE;
        while edge != NONE {
            let Edge { kind, next, .. } = &mut self.edges.edges[edge as usize];
            edge = if *kind == EdgeKind::Programmatic && early < Early::Triggered {
                let rest = std::mem::replace(next, NONE);
                self.append_early(from, edge);
                rest
            } else {
                let (kind, to, rest) = self.edges.pop(edge);
                self.satisfy(kind, from, to);
                rest
            };
        }
    }

    /// `to` may start once `from` has come so far.
    pub(crate) fn connect_early(&mut self, early: Early, from: Item, to: u32) {
        if self.has_reached(from, early) {
            return;
        }
        let edge = self.edges.add(early.edge(), to);
        self.append_early(from.index, edge);
        self.nodes[to as usize].blockers += 1;
    }

    fn append_early(&mut self, from: u32, edge: u32) {
        let source = &mut self.nodes[from as usize];
        match std::mem::replace(&mut source.last_early, edge) {
            NONE => source.first_early = edge,
            last => self.edges.edges[last as usize].next = edge,
        }
    }

    /// `to` may start at the trigger of `from`, and is not done before `from` is complete.
    pub(crate) fn depend(&mut self, from: Item, to: u32) {
        self.depend_on(from, to, Early::Triggered);
    }

    /// The same from when `from` has come so far.
    pub(crate) fn depend_on(&mut self, from: Item, to: u32, early: Early) {
        if !self.is_complete(from) {
            self.primaries.push(from);
        }
        self.connect_early(early, from, to);
        self.connect(EdgeKind::Prerequisite, from, to);
    }

    /// One prerequisite is complete.
    pub(crate) fn untie(&mut self, index: u32) {
        let node = &mut self.nodes[index as usize];
        node.ties -= 1;
        if node.ties == 0 {
            if std::mem::take(&mut node.held) {
                let ordinal = node.ordinal;
                self.scheduler.schedule().add(Candidate { index, ordinal });
            }
            let item = self.item(index);
            self.untied.push(item);
            self.end_if_over(index);
        }
    }
}
