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
}

/// One host stream.
#[derive(Clone, Debug, Default)]
struct Line {
    chain: u32,
    length: u32,
    /// What is complete before the next action.
    facts: Facts,
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
            self.line(to).facts.join(&facts);
        }
    }

    /// An item was queued at the end of a stream, its joins done.
    pub(crate) fn queued(&mut self, index: u32) {
        if !self.on {
            return;
        }
        let host = self.host.clone();
        let line = self.line(index);
        line.facts.join(&host);
        line.length += 1;
        let complete = Fact { chain: line.chain, position: line.length };
        let behind = line.facts.clone();
        line.facts.learn(complete);
        self.last = Place { behind, complete: Some(complete) };
    }

    /// Where the item stands that was queued last.
    pub fn last(&self) -> &Place {
        &self.last
    }

    /// What is complete once all that is in the stream now is complete: what an event stands for that is recorded now.
    pub fn end(&mut self, stream: Stream) -> Facts {
        if self.on { self.line(stream.index).facts.clone() } else { Facts::default() }
    }

    /// What follows in the stream is behind an event that stands for these facts.
    pub fn wait(&mut self, stream: Stream, event: &Facts) {
        if self.on {
            self.line(stream.index).facts.join(event);
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
