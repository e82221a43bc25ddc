//! Nodes of graphs (launch-model 5): items that start with what the launch of their graph knows, and with what is in front of them in it.
//!
//! Whoever knows that the launch is complete knows that all of its nodes are. Nodes count as launched by whoever launched the graph.

use super::checker::{Checker, ItemLabel};
use hotfire_launch::order::{Clock, ItemId, NO_ITEM, Place};
use std::sync::Arc;

impl Checker {
    /// A node of a graph whose launch is `graph`; its place names other nodes of that launch.
    pub fn submit_node(&mut self, label: ItemLabel, graph: ItemId, place: &Place) -> ItemId {
        let mut clock = Clock::clone(&self.own_start(graph));
        self.include_learnt(&mut clock);
        clock.facts.join(&place.behind);
        let parent = self.items.parent(graph);
        let item = self.add_item(label, parent, false, place.complete, clock);
        self.items.set_graph(item, graph);
        if matches!(label, ItemLabel::Grid(_)) {
            self.own[item.0 as usize].submitted = self.own[item.0 as usize].start.clone();
        }
        self.note_place(item, label, place);
        item
    }

    /// The launch of a graph, itself launched by device code, is over only when this one is.
    pub fn belongs(&mut self, item: ItemId, graph: ItemId) {
        self.items.set_graph(item, graph);
    }

    /// Are both nodes of one launch of a graph, directly or not?
    pub fn share_graph(&self, a: ItemId, b: ItemId) -> bool {
        let outermost = |mut item: ItemId| {
            while self.items.graph(item) != NO_ITEM {
                item = self.items.graph(item);
            }
            item
        };
        a != b && self.items.graph(a) != NO_ITEM && self.items.graph(b) != NO_ITEM && outermost(a) == outermost(b)
    }

    /// What an item starts with.
    pub fn start_of(&self, item: ItemId) -> Arc<Clock> {
        self.own_start(item)
    }
}
