//! From exited to complete (launch-model 3.1 and 3.3), iteratively: what one call sets in motion is a queue, not a
//! recursion, however deep the tree.

use crate::early::Early;
use crate::edge::EdgeKind;
use crate::handle::Item;
use crate::model::Model;
use crate::node::{Kind, NONE, Queue, Stage};
use crate::policy::Candidate;

impl Model {
    /// A started operation was executed, or all blocks of a started grid have exited.
    ///
    /// # Panics
    /// If the item is not running.
    pub fn finished(&mut self, item: Item) {
        assert!(self.stage(item) == Stage::Running, "only what runs can finish");
        self.reach(item.index, Early::Triggered);
        self.nodes[item.index as usize].stage = Stage::Exited;
        self.release_owned(item.index);
        self.release_held(item.index);
        self.end_if_over(item.index);
        self.advance();
    }

    /// The item is done if its threads have exited, nothing of its own is left, and all that it may run beside is complete.
    pub(crate) fn end_if_over(&mut self, index: u32) {
        let node = &self.nodes[index as usize];
        if node.stage == Stage::Exited && node.open_children == 0 && node.ties == 0 {
            self.advancing.push_back(index);
        }
    }

    /// Nothing holds the item back any more.
    pub(crate) fn unblocked(&mut self, index: u32) {
        let node = &mut self.nodes[index as usize];
        if node.kind == Kind::Marker {
            node.stage = Stage::Done;
            self.advancing.push_back(index);
            return;
        }
        node.stage = Stage::Startable;
        self.startable += 1;
        let (ordinal, parent, tied) = (node.ordinal, node.parent, node.ties > 0);
        let live_launcher = parent != NONE && self.nodes[parent as usize].stage == Stage::Running;
        match self.scheduler.holds_back() {
            true if live_launcher => self.hold(parent, index),
            true if tied => self.nodes[index as usize].held = true,
            _ => self.scheduler.schedule().add(Candidate { index, ordinal }),
        }
    }

    /// Takes every item that can reach a new stage there.
    pub(crate) fn advance(&mut self) {
        while let Some(index) = self.advancing.pop_front() {
            let node = &mut self.nodes[index as usize];
            if node.stage == Stage::Exited {
                debug_assert_eq!(node.open_children, 0);
                node.stage = Stage::Done;
                if std::mem::take(&mut node.holds_slot) {
                    self.pool.done();
                }
                if node.queue == Queue::Tail {
                    self.hand_on_tails(index);
                }
            }
            let first = self.nodes[index as usize].first_tail;
            if first == NONE {
                self.complete(index);
            } else {
                self.satisfy(EdgeKind::Tail, index, first);
            }
        }
    }

    fn complete(&mut self, index: u32) {
        let item = self.item(index);
        self.satisfy_edges(index);
        let node = &self.nodes[index as usize];
        let (queue, parent, next_tail) = (node.queue, node.parent, node.next_tail);
        match queue {
            Queue::Host(stream) => self.hosts.completed(stream, item),
            Queue::Block(block) => {
                if self.block_streams.get(&(parent, block)) == Some(&item) {
                    self.block_streams.remove(&(parent, block));
                }
            }
            Queue::Named(stream) => self.device_streams.clear_last(stream, item),
            Queue::FireAndForget | Queue::Tail => {}
        }
        // Retired before its parent is advanced: completions are reported in the order in which they happen.
        self.retire(index);
        if queue == Queue::Tail {
            self.tail_completed(index, parent, next_tail);
        } else if parent != NONE {
            self.nodes[parent as usize].open_children -= 1;
            self.end_if_over(parent);
        }
    }

    /// The next tail of the grid `parent` starts, or the grid is complete.
    fn tail_completed(&mut self, index: u32, parent: u32, next_tail: u32) {
        self.nodes[parent as usize].first_tail = next_tail;
        if next_tail == NONE {
            self.advancing.push_back(parent);
        } else {
            self.satisfy(EdgeKind::Tail, index, next_tail);
        }
    }

    /// The tails of a tail that is done go directly behind it in the tail stream where it stands. That stream's own end
    /// (`last_tail`) is no longer needed: the grid that could append to it is done too.
    fn hand_on_tails(&mut self, index: u32) {
        let node = &mut self.nodes[index as usize];
        let (parent, first, last) = (node.parent, node.first_tail, node.last_tail);
        if first == NONE {
            return;
        }
        (node.first_tail, node.last_tail) = (NONE, NONE);
        let behind = std::mem::replace(&mut node.next_tail, first);
        self.nodes[last as usize].next_tail = behind;
        // Once for every tail: a tail runs only when what it was handed to is a grid that is no tail.
        let mut tail = first;
        while tail != behind {
            let node = &mut self.nodes[tail as usize];
            node.parent = parent;
            tail = node.next_tail;
        }
    }

    /// Streams and events go with the threads that could use them.
    fn release_owned(&mut self, index: u32) {
        let node = &mut self.nodes[index as usize];
        while node.first_stream != NONE {
            self.device_streams.destroy(node.first_stream, &mut node.first_stream);
        }
        while node.first_event != NONE {
            self.device_events.destroy(node.first_event, &mut node.first_event);
            self.pool.events -= 1;
        }
    }

    fn hold(&mut self, parent: u32, index: u32) {
        let node = &mut self.nodes[parent as usize];
        match std::mem::replace(&mut node.last_held, index) {
            NONE => node.first_held = index,
            last => self.nodes[last as usize].next_held = index,
        }
    }

    /// The threads of the grid have exited: the policy may now start what they launched.
    fn release_held(&mut self, parent: u32) {
        let node = &mut self.nodes[parent as usize];
        node.last_held = NONE;
        let mut held = std::mem::replace(&mut node.first_held, NONE);
        while held != NONE {
            let node = &mut self.nodes[held as usize];
            let candidate = Candidate { index: held, ordinal: node.ordinal };
            node.held = node.ties > 0;
            let tied = node.held;
            held = std::mem::replace(&mut node.next_held, NONE);
            if !tied {
                self.scheduler.schedule().add(candidate);
            }
        }
    }

    /// Takes one item out of the list in which the policy holds it back.
    pub(crate) fn unhold(&mut self, index: u32) {
        let parent = self.nodes[index as usize].parent;
        let mut rest = std::mem::replace(&mut self.nodes[parent as usize].first_held, NONE);
        self.nodes[parent as usize].last_held = NONE;
        while rest != NONE {
            let next = std::mem::replace(&mut self.nodes[rest as usize].next_held, NONE);
            if rest != index {
                self.hold(parent, rest);
            }
            rest = next;
        }
    }
}
