//! Grids and operations as happens-before sees them: whose child each is, and where it stands in its chain.

use super::clock::{Clock, Point};
use super::facts::Fact;

/// A grid or an operation, numbered in the order of submission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemId(pub u32);

/// No item: host code.
pub const NO_ITEM: ItemId = ItemId(0);

#[derive(Clone, Debug)]
struct Entry {
    parent: ItemId,
    /// The launch of a graph that it is part of, and that is complete only after it; [`NO_ITEM`] for none.
    graph: ItemId,
    /// It stands in the tail stream of its parent.
    tail: bool,
    /// It is complete.
    complete: Option<Fact>,
    /// Its threads have exited and all that they launched, tails excepted, is complete.
    done: Option<Fact>,
    /// A tail of it goes on with the chain of `done`.
    continued: bool,
    /// It is complete; nothing is said of what comes before it.
    single: Option<Fact>,
}

/// All items of a run. Item 0 is host code.
#[derive(Clone, Debug)]
pub struct Items {
    entries: Vec<Entry>,
    chains: u32,
}

impl Default for Items {
    fn default() -> Self {
        let host = Entry {
            parent: NO_ITEM,
            graph: NO_ITEM,
            tail: false,
            complete: None,
            done: None,
            continued: false,
            single: None,
        };
        // Chains below 2^31 belong to host streams.
        Items { entries: vec![host], chains: 1 << 31 }
    }
}

impl Items {
    /// A new chain for launches of device code.
    pub fn chain(&mut self) -> u32 {
        self.chains += 1;
        self.chains
    }

    /// A new item; `complete` is what its completion will be known as, if anything but its parent's.
    pub fn add(&mut self, parent: ItemId, tail: bool, complete: Option<Fact>) -> ItemId {
        self.entries.push(Entry { parent, graph: NO_ITEM, tail, complete, done: None, continued: false, single: None });
        ItemId(self.entries.len() as u32 - 1)
    }

    /// The item is part of the launch of a graph, which is complete only after it.
    pub fn set_graph(&mut self, item: ItemId, graph: ItemId) {
        self.entries[item.0 as usize].graph = graph;
    }

    /// The launch of a graph that it is part of; [`NO_ITEM`] for none.
    pub fn graph(&self, item: ItemId) -> ItemId {
        self.entries[item.0 as usize].graph
    }

    /// How many there are, the host included.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Is there nothing but the host?
    pub fn is_empty(&self) -> bool {
        self.entries.len() == 1
    }

    /// The launching grid; [`NO_ITEM`] for what the host launched.
    pub fn parent(&self, item: ItemId) -> ItemId {
        self.entries[item.0 as usize].parent
    }

    /// Was it launched into the tail stream?
    pub fn is_tail(&self, item: ItemId) -> bool {
        self.entries[item.0 as usize].tail
    }

    /// The fact that a grid is done, which its tails start with.
    pub fn done(&mut self, item: ItemId) -> Fact {
        if let Some(fact) = self.entries[item.0 as usize].done {
            return fact;
        }
        let fact = self.behind_parent(item).unwrap_or_else(|| Fact { chain: self.chain(), position: 1 });
        self.entries[item.0 as usize].done = Some(fact);
        fact
    }

    /// The fact that an item is complete, and nothing else.
    pub fn single(&mut self, item: ItemId) -> Fact {
        if let Some(fact) = self.entries[item.0 as usize].single {
            return fact;
        }
        let fact = Fact { chain: self.chain(), position: 1 };
        self.entries[item.0 as usize].single = Some(fact);
        fact
    }

    /// A tail is done only after its parent is: one tail of each grid goes on with that chain, so that a chain of self tail launches
    /// is one.
    fn behind_parent(&mut self, item: ItemId) -> Option<Fact> {
        let Entry { parent, tail, .. } = self.entries[item.0 as usize];
        let parent = &mut self.entries[parent.0 as usize];
        let Fact { chain, position } = parent.done.filter(|_| tail && !parent.continued)?;
        parent.continued = true;
        Some(Fact { chain, position: position + 1 })
    }

    /// Is all that the item's own threads did known to be over?
    pub fn knows(&self, clock: &Clock, item: ItemId) -> bool {
        if item == NO_ITEM || clock.facts.is_empty() {
            return false;
        }
        let known = |fact: Option<Fact>| fact.is_some_and(|fact| clock.facts.knows(fact));
        let mut at = item;
        let mut done = self.entries[item.0 as usize].done;
        loop {
            let entry = &self.entries[at.0 as usize];
            if known(done) || known(entry.complete) || known(entry.single) {
                return true;
            }
            if entry.graph != NO_ITEM {
                // The launch that it is part of speaks for it, not the grid that launched that.
                (at, done) = (entry.graph, self.entries[entry.graph.0 as usize].done.filter(|_| !entry.tail));
                continue;
            }
            if entry.parent == NO_ITEM {
                return false;
            }
            // A parent that is done speaks for its children, except for its tails.
            done = if entry.tail { None } else { self.entries[entry.parent.0 as usize].done };
            at = entry.parent;
        }
    }

    /// Is the point known?
    pub fn knows_point(&self, clock: &Clock, point: Point) -> bool {
        if point.item == NO_ITEM {
            return point.time <= clock.host;
        }
        clock.knows_thread(point) || self.knows(clock, point.item)
    }

    /// Is `ancestor` the item itself, or did it launch it, directly or not?
    pub fn descends(&self, item: ItemId, ancestor: ItemId) -> bool {
        let mut at = item;
        while at != ancestor {
            if at == NO_ITEM {
                return false;
            }
            at = self.parent(at);
        }
        true
    }

    /// The nearest item that launched both, directly or not; the host if none did.
    pub fn common(&self, a: ItemId, b: ItemId) -> ItemId {
        let (mut a, mut b) = (a, b);
        // A parent was submitted before its children.
        while a != b {
            if a.0 > b.0 { a = self.parent(a) } else { b = self.parent(b) }
        }
        a
    }
}
