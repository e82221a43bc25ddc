//! Edges: why an item waits for another. They end when the source is complete, except that the first tail of a grid waits for it
//! to be done, and that programmatic edges end earlier (early.rs).

use crate::handle::Item;
use crate::model::Model;
use crate::node::{NONE, Stage};

/// The rule behind an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EdgeKind {
    /// Same stream, launched earlier (2.2, 3.2).
    Stream,
    /// The legacy default stream and a blocking stream join (2.2).
    LegacyDefault,
    /// A stream waits for an event (2.2, 3.2).
    Event,
    /// A tail waits for the end of its grid, or for the tail before it (3.3).
    Tail,
    /// A dependency between nodes of a graph, or between launches of one executable graph (5).
    Graph,
    /// It may start once all blocks of the source have triggered or exited (4.2).
    Programmatic,
    /// It may start once all blocks of the source have begun (4.1).
    LaunchCompletion,
    /// It may run beside the source, but is not done before the source is complete (4.8).
    Prerequisite,
}

#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub kind: EdgeKind,
    pub to: u32,
    /// The next edge out of the same source; in the free list, the next free one.
    pub next: u32,
}

/// All edges that are not satisfied yet, in lists by source.
#[derive(Clone, Debug)]
pub(crate) struct Edges {
    pub edges: Vec<Edge>,
    free: u32,
}

impl Edges {
    pub fn new() -> Edges {
        Edges { edges: Vec::new(), free: NONE }
    }

    pub fn add(&mut self, kind: EdgeKind, to: u32) -> u32 {
        let edge = Edge { kind, to, next: NONE };
        match self.free {
            NONE => {
                self.edges.push(edge);
                self.edges.len() as u32 - 1
            }
            index => {
                self.free = self.edges[index as usize].next;
                self.edges[index as usize] = edge;
                index
            }
        }
    }

    /// Removes the first edge of a list; answers what it was and what is now the first.
    pub fn pop(&mut self, first: u32) -> (EdgeKind, u32, u32) {
        let free = std::mem::replace(&mut self.free, first);
        let edge = &mut self.edges[first as usize];
        let next = std::mem::replace(&mut edge.next, free);
        (edge.kind, edge.to, next)
    }
}

impl Model {
    /// `to` waits for `from`, if `from` is not complete.
    pub(crate) fn connect(&mut self, kind: EdgeKind, from: Item, to: u32) {
        if self.is_complete(from) {
            return;
        }
        let edge = self.edges.add(kind, to);
        let source = &mut self.nodes[from.index as usize];
        match std::mem::replace(&mut source.last_edge, edge) {
            NONE => source.first_edge = edge,
            last => self.edges.edges[last as usize].next = edge,
        }
        match kind {
            EdgeKind::Prerequisite => self.nodes[to as usize].ties += 1,
            _ => self.nodes[to as usize].blockers += 1,
        }
    }

    /// `from` is complete: all edges out of it are satisfied, in the order in which they were made.
    pub(crate) fn satisfy_edges(&mut self, from: u32) {
        let source = &mut self.nodes[from as usize];
        let mut edge = std::mem::replace(&mut source.first_edge, NONE);
        source.last_edge = NONE;
        while edge != NONE {
            let (kind, to, next) = self.edges.pop(edge);
            self.satisfy(kind, from, to);
            edge = next;
        }
    }

    /// One thing that `to` waited for is over. Every order between two items passes here, tails included: the place
    /// for a happens-before relation to join the clock of `from` into that of `to`.
    pub(crate) fn satisfy(&mut self, kind: EdgeKind, _from: u32, to: u32) {
        if kind == EdgeKind::Prerequisite {
            return self.untie(to);
        }
        let node = &mut self.nodes[to as usize];
        node.blockers -= 1;
        if node.blockers == 0 {
            self.unblocked(to);
        }
    }

    /// The edges that are not satisfied yet, as (what is waited for, what waits, why): the answer to "why does
    /// nothing start?" in a report. Walks everything.
    pub fn waits(&self) -> Vec<(Item, Item, EdgeKind)> {
        let mut waits = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            if node.stage == Stage::Complete {
                continue;
            }
            let from = self.item(index as u32);
            for first in [node.first_early, node.first_edge] {
                let mut edge = first;
                while edge != NONE {
                    let Edge { kind, to, next } = self.edges.edges[edge as usize];
                    waits.push((from, self.item(to), kind));
                    edge = next;
                }
            }
            let (mut before, mut tail) = (from, node.first_tail);
            while tail != NONE {
                if self.nodes[tail as usize].stage == Stage::Waiting {
                    waits.push((before, self.item(tail), EdgeKind::Tail));
                }
                before = self.item(tail);
                tail = self.nodes[tail as usize].next_tail;
            }
        }
        waits
    }
}
