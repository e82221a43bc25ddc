//! Items within an item: the nodes of a graph that was launched (launch-model 5).
//!
//! The launch of a graph is one item of its stream, an operation. When it runs, the device adds the nodes that it stands for, each
//! held back until all its edges are known ([`Model::release`]), then says that the operation is finished. The launch is done when all
//! items within it are complete, and complete when its tails are too: the same rule as for a grid and what its threads launch. Nodes that stand
//! for further nodes (child graphs, bodies of conditional nodes) are operations of the same kind, to any depth.

use crate::early::Early;
use crate::edge::EdgeKind;
use crate::handle::Item;
use crate::model::Model;
use crate::node::{Kind, Queue, Stage, Work};
use crate::recording::Command;
use serde::{Deserialize, Serialize};

/// What of a node another one waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GraphEdge {
    /// Its completion.
    #[default]
    Full,
    /// The trigger of all its blocks; its completion is a prerequisite.
    Programmatic,
    /// The begin of all its blocks.
    LaunchCompletion,
    /// The begin of all its blocks; its completion is a prerequisite.
    ProgrammaticAtBegin,
}

impl Model {
    /// A further item within `outer`, which waits at least for [`Model::release`].
    ///
    /// # Panics
    /// If `outer` is over or has not started.
    pub fn add_within(&mut self, outer: Item, work: Work) -> Item {
        let item = self.within(outer, work.into());
        let number = self.make_known(item);
        self.tell(|of| Command::AddWithin { outer: of(outer), work, item: number });
        item
    }

    /// A further item within `outer` that is over as soon as nothing holds it back.
    ///
    /// # Panics
    /// As [`Model::add_within`].
    pub fn add_marker_within(&mut self, outer: Item) -> Item {
        let item = self.within(outer, Kind::Marker);
        let number = self.make_known(item);
        self.tell(|of| Command::AddMarkerWithin { outer: of(outer), item: number });
        item
    }

    /// An item that is over as soon as nothing holds it back: what an event stands for that a node of a graph records.
    pub fn add_marker(&mut self) -> Item {
        let index = self.add(Kind::Marker, Queue::FireAndForget);
        self.nodes[index as usize].blockers = 1;
        let item = self.item(index);
        let number = self.make_known(item);
        self.tell(|_| Command::AddMarker { item: number });
        item
    }

    fn within(&mut self, outer: Item, kind: Kind) -> Item {
        let running = matches!(self.stage(outer), Stage::Running | Stage::Exited);
        assert!(running, "only what runs gets items within");
        self.primaries.clear();
        let index = self.add(kind, Queue::FireAndForget);
        let node = &mut self.nodes[index as usize];
        node.parent = outer.index;
        node.blockers = 1;
        self.nodes[outer.index as usize].open_children += 1;
        self.item(index)
    }

    /// An operation that starts when `outer` is done, behind what was so added before.
    ///
    /// # Panics
    /// If `outer` is over or has not started.
    pub fn add_behind(&mut self, outer: Item) -> Item {
        let running = matches!(self.stage(outer), Stage::Running | Stage::Exited);
        assert!(running, "only what runs gets tails");
        let index = self.add(Kind::Operation, Queue::Tail);
        let node = &mut self.nodes[index as usize];
        node.parent = outer.index;
        node.blockers = 1; // Its turn, see completion.rs.
        self.append_tail(outer.index, index);
        let item = self.item(index);
        let number = self.make_known(item);
        self.tell(|of| Command::AddBehind { outer: of(outer), item: number });
        item
    }

    /// `to`, not yet released, waits for `from`. Both kinds of early start are for grids; any other source is waited for.
    pub fn connect_nodes(&mut self, from: Item, to: Item, edge: GraphEdge) {
        self.tell(|of| Command::Connect { from: of(from), to: of(to), edge });
        let grid = self.node(from).is_some_and(|node| node.kind == Kind::Grid);
        match edge {
            GraphEdge::Programmatic | GraphEdge::ProgrammaticAtBegin
                if grid && self.nodes[to.index as usize].kind == Kind::Grid =>
            {
                let early = if edge == GraphEdge::Programmatic { Early::Triggered } else { Early::Begun };
                self.depend_on(from, to.index, early);
            }
            GraphEdge::LaunchCompletion if grid => self.connect_early(Early::Begun, from, to.index),
            _ => self.connect(EdgeKind::Graph, from, to.index),
        }
    }

    /// All edges into the item are known: it may start when they are satisfied.
    pub fn release(&mut self, item: Item) {
        self.tell(|of| Command::Release { item: of(item) });
        if let Some(node) = self.node(item) {
            debug_assert!(node.blockers > 0 && node.stage == Stage::Waiting);
            self.satisfy(EdgeKind::Graph, item.index, item.index);
            self.advance();
        }
    }

    /// `item`, just queued at the end of a stream and not started, also waits for `other`: an earlier launch of the same executable graph.
    pub fn order_behind(&mut self, item: Item, other: Item) {
        self.tell(|of| Command::OrderBehind { item: of(item), other: of(other) });
        if self.is_complete(other) || item == other {
            return;
        }
        match self.stage(item) {
            Stage::Waiting => {}
            Stage::Startable => {
                if !self.scheduler.schedule().remove(item.index) {
                    self.unhold(item.index);
                }
                self.startable -= 1;
                self.nodes[item.index as usize].stage = Stage::Waiting;
            }
            _ => return,
        }
        self.connect(EdgeKind::Graph, other, item.index);
    }
}
