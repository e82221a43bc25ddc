//! Streams, as far as they order: what is launched into one is behind what was launched before.

use super::clock::Point;
use super::facts::{Fact, Facts};
use super::items::Items;
use crate::handle::Stream;

/// Where an item stands: what is complete before it starts, and what its own completion is known as.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// What is complete before it starts.
    pub behind: Facts,
    /// Its own completion.
    pub complete: Option<Fact>,
    /// Grids that it may run beside, and that its waits wait for.
    pub prerequisites: Vec<Prerequisite>,
    /// What would be complete before it starts if nothing started early.
    pub in_order: Facts,
    /// What is in front of it in its stream.
    pub front: Front,
}

/// What is in front of an item in its stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Front {
    /// No kernel of which the host does not know that it is complete.
    #[default]
    Free,
    /// A kernel, directly.
    Kernel,
    /// A kernel, and something that is none in between.
    Other,
}

/// A grid that another one depends on programmatically, as the end of its launch leaves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prerequisite {
    /// Its completion.
    pub complete: Fact,
    /// What is complete before it starts.
    pub behind: Facts,
    /// What is complete once it is, as grids of a stream are complete in order (4.8); itself included.
    pub in_order: Facts,
}

/// One host stream.
#[derive(Clone, Debug, Default)]
struct Line {
    chain: u32,
    length: u32,
    /// What is complete before the next action.
    facts: Facts,
    /// Where its last action stands, if that is a kernel.
    kernel: Option<Prerequisite>,
    /// Its last kernel.
    last_kernel: Option<Fact>,
    /// What the stream waits for programmatically.
    early: Vec<Prerequisite>,
    /// What would be complete if nothing had started early, beyond `facts`.
    loose: Facts,
}

impl Line {
    /// It is behind this, whatever comes.
    fn learn(&mut self, facts: &Facts) {
        self.facts.join(facts);
        if let Some(kernel) = &mut self.kernel {
            kernel.behind.join(facts);
        }
    }
}

/// All host streams, and what the host itself knows to be complete. Off, it costs nothing and knows nothing.
#[derive(Clone, Debug, Default)]
pub struct HostLines {
    on: bool,
    lines: Vec<Line>,
    chains: u32,
    host: Facts,
    last: Place,
}

impl HostLines {
    /// Starts keeping track.
    pub fn enable(&mut self) {
        self.on = true;
    }

    fn line(&mut self, index: u32) -> &mut Line {
        let index = index as usize;
        while self.lines.len() <= index {
            self.chains += 1;
            self.lines.push(Line { chain: self.chains, ..Line::default() });
        }
        &mut self.lines[index]
    }

    /// A stream was made in this slot.
    pub(crate) fn created(&mut self, index: u32) {
        if self.on {
            self.chains += 1;
            let chain = self.chains;
            *self.line(index) = Line { chain, ..Line::default() };
        }
    }

    /// What follows in `to` is behind all that is in `from`.
    pub(crate) fn join(&mut self, to: u32, from: u32) {
        if self.on {
            let facts = self.line(from).facts.clone();
            self.line(to).learn(&facts);
        }
    }

    /// An item was queued at the end of a stream, its joins done. `programmatic`: it may start before the kernel in front is complete.
    /// `aside`: a kernel behind it may start early all the same.
    pub(crate) fn queued(&mut self, index: u32, kernel: bool, programmatic: bool, aside: bool) {
        if !self.on {
            return;
        }
        let host = self.host.clone();
        let line = self.line(index);
        line.learn(&host);
        line.length += 1;
        let front = match (line.last_kernel.filter(|&last| !host.knows(last)), &line.kernel) {
            (None, _) => Front::Free,
            (Some(_), Some(_)) => Front::Kernel,
            (Some(_), None) => Front::Other,
        };
        let complete = Fact { chain: line.chain, position: line.length };
        let primary = if aside { None } else { line.kernel.take() };
        let mut prerequisites: Vec<Prerequisite> = primary.filter(|_| programmatic).into_iter().collect();
        let mut in_order = line.facts.clone();
        in_order.join(&line.loose);
        let mut behind = prerequisites.first().map_or(&line.facts, |primary| &primary.behind).clone();
        for early in line.early.drain(..) {
            line.facts.join(&early.in_order);
            in_order.join(&early.in_order);
            if kernel {
                behind.join(&early.behind);
                prerequisites.push(early);
            } else {
                behind.join(&early.in_order);
            }
        }
        line.facts.learn(complete);
        if kernel {
            line.last_kernel = Some(complete);
            line.kernel = Some(Prerequisite { complete, behind: behind.clone(), in_order: line.facts.clone() });
        }
        self.last = Place { behind, complete: Some(complete), prerequisites, in_order, front };
    }

    /// No kernel behind this starts early beside the one in front.
    pub(crate) fn break_off(&mut self, index: u32) {
        if self.on {
            self.line(index).kernel = None;
        }
    }

    /// The kernel that was queued last in a stream: what an event stands for that its launch records.
    pub fn kernel(&mut self, stream: Stream) -> Option<Prerequisite> {
        self.on.then(|| self.line(stream.index).kernel.clone()).flatten()
    }

    /// What follows in the stream starts when all blocks of this kernel have begun.
    pub fn wait_begun(&mut self, stream: Stream, kernel: &Prerequisite) {
        if self.on {
            let line = self.line(stream.index);
            line.learn(&kernel.behind);
            line.loose.join(&kernel.in_order);
        }
    }

    /// The next kernel of the stream depends programmatically on another.
    pub fn wait_early(&mut self, stream: Stream, prerequisite: &Prerequisite) {
        if self.on {
            let line = self.line(stream.index);
            line.kernel = None;
            line.early.push(prerequisite.clone());
        }
    }

    /// Where the item stands that was queued last.
    pub fn last(&self) -> &Place {
        &self.last
    }

    /// What is complete once all that is in the stream now is complete: what an event stands for that is recorded now.
    pub fn end(&mut self, stream: Stream) -> Facts {
        if !self.on {
            return Facts::default();
        }
        let line = self.line(stream.index);
        for early in std::mem::take(&mut line.early) {
            line.kernel = None;
            line.facts.join(&early.in_order);
        }
        line.facts.clone()
    }

    /// What follows in the stream is behind an event that stands for these facts.
    pub fn wait(&mut self, stream: Stream, event: &Facts) {
        if self.on {
            self.line(stream.index).learn(event);
        }
    }

    /// The host has learnt that this is complete; whatever it queues from now on is behind it.
    pub fn synchronised(&mut self, facts: &Facts) {
        self.host.join(facts);
    }

    /// The host has learnt that all that was ever queued is complete.
    pub fn synchronised_all(&mut self) {
        for line in &self.lines {
            self.host.join(&line.facts);
        }
    }

    /// What the host knows to be complete.
    pub fn host(&self) -> &Facts {
        &self.host
    }
}

/// One stream of device code: the NULL stream of a block, a named stream, the tail stream of a grid.
#[derive(Clone, Debug, Default)]
pub struct DeviceLine {
    /// By launching thread: its latest launch, the last of its items there, and what is complete once that is.
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    launch: Point,
    last: Fact,
    facts: Facts,
}

impl DeviceLine {
    /// What is complete before something that a thread launches now starts; `knows` tells of which launches it knows.
    pub fn behind(&self, mut knows: impl FnMut(Point) -> bool) -> Facts {
        let mut facts = Facts::default();
        self.entries.iter().filter(|entry| knows(entry.launch)).for_each(|entry| facts.join(&entry.facts));
        facts
    }

    fn entry(&mut self, launch: Point, items: &mut Items) -> &mut Entry {
        let thread = |point: Point| (point.item, point.block, point.thread);
        let index = self.entries.iter().position(|entry| thread(entry.launch) == thread(launch));
        let index = index.unwrap_or_else(|| {
            let last = Fact { chain: items.chain(), position: 0 };
            self.entries.push(Entry { launch, last, facts: Facts::default() });
            self.entries.len() - 1
        });
        let entry = &mut self.entries[index];
        entry.launch.time = launch.time;
        entry
    }

    /// A thread launches an item that starts behind these facts: what its completion will be known as.
    pub fn launch(&mut self, launch: Point, behind: &Facts, items: &mut Items) -> Fact {
        let entry = self.entry(launch, items);
        entry.last.position += 1;
        entry.facts.join(behind);
        entry.facts.learn(entry.last);
        entry.last
    }

    /// A thread lets the stream wait for an event that stands for these facts.
    pub fn wait(&mut self, wait: Point, event: &Facts, items: &mut Items) {
        self.entry(wait, items).facts.join(event);
    }

    /// How many threads launched into it.
    pub fn threads(&self) -> usize {
        self.entries.len()
    }
}
