//! Streams of the host and their order (launch-model 2.2).
//!
//! Within a stream, strictly in order. The legacy default stream joins with every blocking stream on both sides: an
//! action in it waits for all that was queued in blocking streams before it, and what is queued there afterwards waits
//! for it. Per-thread default streams are blocking streams in that respect and do not join each other. An event record
//! and a wait are actions like a launch.

use crate::edge::EdgeKind;
use crate::handle::{Item, Stream, next_generation};
use crate::model::Model;
use crate::node::{Kind, Queue, Work};
use crate::recording::{Command, Manner, stream_number};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// What a host stream joins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StreamKind {
    /// Joins with the legacy default stream.
    Blocking,
    /// `cudaStreamNonBlocking`: joins with none.
    NonBlocking,
    /// The default stream of one host thread: joins with the legacy default stream.
    PerThreadDefault,
}

#[derive(Clone, Debug)]
struct HostStream {
    generation: NonZeroU32,
    kind: StreamKind,
    /// Destroyed, but with work that still runs.
    destroyed: bool,
    /// Its last item, until that is complete.
    tail: Option<Item>,
    /// Its last action, if that is the launch of a kernel: one that follows may start early (launch-model 4.10).
    kernel: Option<Item>,
    /// Actions since that leave it so.
    since: Vec<Item>,
    /// What the next kernel depends on besides, programmatically.
    early: Vec<Item>,
    /// The number of the action in the legacy stream behind which its last item comes; 0 is none. It stays right when the
    /// stream is idle or its slot is reused: that item is complete, so the action is too.
    joined: u64,
    /// Is it in `HostStreams::recent`? Kept when the slot is reused.
    recent: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct HostStreams {
    streams: Vec<HostStream>,
    free: Vec<u32>,
    /// Blocking streams with an action since the last one in the legacy stream; the others are behind that one.
    recent: Vec<u32>,
    /// Actions in the legacy stream so far.
    legacy_actions: u64,
    /// Blocking streams, the legacy one included, with unfinished work.
    blocking_busy: usize,
}

impl HostStream {
    fn new(kind: StreamKind) -> HostStream {
        let generation = NonZeroU32::MIN;
        HostStream {
            generation,
            kind,
            destroyed: false,
            tail: None,
            kernel: None,
            since: Vec::new(),
            early: Vec::new(),
            joined: 0,
            recent: false,
        }
    }
}

impl HostStreams {
    pub fn new() -> HostStreams {
        // Index 0 and the first generation: `Stream::LEGACY`.
        let streams = vec![HostStream::new(StreamKind::Blocking)];
        HostStreams { streams, free: Vec::new(), recent: Vec::new(), legacy_actions: 0, blocking_busy: 0 }
    }

    fn get(&self, stream: Stream) -> Option<&HostStream> {
        self.streams.get(stream.index as usize).filter(|entry| entry.generation == stream.generation)
    }

    fn existing(&self, stream: Stream) -> &HostStream {
        self.get(stream).filter(|entry| !entry.destroyed).expect("the stream exists")
    }

    /// Would an action in this stream, just by its place, wait for the legacy stream, unlike the action before it?
    fn action_would_join(&self, entry: &HostStream) -> bool {
        let legacy_busy = self.streams[0].tail.is_some();
        entry.kind != StreamKind::NonBlocking && legacy_busy && entry.joined != self.legacy_actions
    }

    fn set_tail(&mut self, index: u32, tail: Option<Item>) -> Option<Item> {
        let entry = &mut self.streams[index as usize];
        let before = std::mem::replace(&mut entry.tail, tail);
        if entry.kind != StreamKind::NonBlocking {
            self.blocking_busy += usize::from(tail.is_some());
            self.blocking_busy -= usize::from(before.is_some());
        }
        before
    }

    fn release(&mut self, index: u32) {
        let entry = &mut self.streams[index as usize];
        entry.generation = next_generation(entry.generation);
        entry.destroyed = false;
        entry.kernel = None;
        entry.since.clear();
        entry.early.clear();
        self.free.push(index);
    }

    pub fn wait_early(&mut self, stream: Stream, item: Item) {
        self.existing(stream);
        let entry = &mut self.streams[stream.index as usize];
        entry.kernel = None;
        entry.early.push(item);
    }

    /// An item of the stream is complete; if it was the last, the stream is idle.
    pub fn completed(&mut self, index: u32, item: Item) {
        if self.streams[index as usize].tail == Some(item) {
            self.set_tail(index, None);
            if self.streams[index as usize].destroyed {
                self.release(index);
            }
        }
    }
}

/// What is said of an action besides what it is.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    /// It waits for this, too.
    pub event: Option<Item>,
    /// It may start early.
    pub programmatic: bool,
    /// A kernel behind it may start early all the same.
    pub aside: bool,
}

impl Model {
    /// A new stream.
    pub fn create_stream(&mut self, kind: StreamKind) -> Stream {
        let hosts = &mut self.hosts;
        let index = hosts.free.pop().unwrap_or_else(|| {
            hosts.streams.push(HostStream::new(kind));
            hosts.streams.len() as u32 - 1
        });
        let entry = &mut hosts.streams[index as usize];
        entry.kind = kind;
        self.order.created(index);
        let stream = Stream { index, generation: entry.generation };
        self.tell(|_| Command::CreateStream { stream: stream_number(stream), kind });
        stream
    }

    /// Destroys a stream. Work that is already queued still runs, and still joins with the legacy default stream.
    ///
    /// # Panics
    /// If the stream does not exist, or is the legacy one.
    pub fn destroy_stream(&mut self, stream: Stream) {
        assert!(stream != Stream::LEGACY, "the legacy default stream stays");
        self.tell(|_| Command::DestroyStream { stream: stream_number(stream) });
        if self.hosts.existing(stream).tail.is_some() {
            self.hosts.streams[stream.index as usize].destroyed = true;
        } else {
            self.hosts.release(stream.index);
        }
    }

    /// Does the handle name a stream that was not destroyed?
    pub fn stream_exists(&self, stream: Stream) -> bool {
        self.hosts.get(stream).is_some_and(|entry| !entry.destroyed)
    }

    /// Queues work at the end of a stream.
    ///
    /// # Panics
    /// If the stream does not exist.
    pub fn submit(&mut self, stream: Stream, work: Work) -> Item {
        let item = self.enqueue(stream, work.into(), Place::default());
        self.submitted(stream, work, Manner::Plain, item)
    }

    /// Tells of an item that was queued.
    pub(crate) fn submitted(&mut self, stream: Stream, work: Work, manner: Manner, item: Item) -> Item {
        let number = self.make_known(item);
        self.tell(|_| Command::Submit { stream: stream_number(stream), work, manner, item: number });
        item
    }

    /// Queues an operation that does not keep a kernel behind it from starting early: the release of memory (`cudaFreeAsync`).
    ///
    /// # Panics
    /// If the stream does not exist.
    pub fn submit_aside(&mut self, stream: Stream) -> Item {
        let item = self.enqueue(stream, Kind::Operation, Place { aside: true, ..Place::default() });
        self.submitted(stream, Work::Operation, Manner::Aside, item)
    }

    /// Queues a marker that completes by itself once all before it in the stream is complete; in the legacy default
    /// stream, all before it in blocking streams too.
    ///
    /// # Panics
    /// If the stream does not exist.
    pub fn record(&mut self, stream: Stream) -> Item {
        self.mark(stream, false)
    }

    fn mark(&mut self, stream: Stream, timed: bool) -> Item {
        let item = self.enqueue(stream, Kind::Marker, Place::default());
        let number = self.make_known(item);
        self.tell(|_| Command::Record { stream: stream_number(stream), timed, item: number });
        item
    }

    /// As [`Model::record`], with the time: no kernel behind it starts before what is in front is complete.
    ///
    /// # Panics
    /// If the stream does not exist.
    pub fn record_timed(&mut self, stream: Stream) -> Item {
        self.break_off(stream);
        self.mark(stream, true)
    }

    /// What is launched programmatically behind this starts early beside nothing that is in front.
    pub(crate) fn break_off(&mut self, stream: Stream) {
        self.hosts.existing(stream);
        let entry = &mut self.hosts.streams[stream.index as usize];
        (entry.kernel, entry.since) = (None, Vec::new());
        self.order.break_off(stream.index);
    }

    /// Later work of the stream also waits for `item` (`cudaStreamWaitEvent`).
    ///
    /// # Panics
    /// If the stream does not exist.
    pub fn wait(&mut self, stream: Stream, item: Item) {
        self.tell(|of| Command::Wait { stream: stream_number(stream), item: of(item) });
        let entry = self.hosts.existing(stream);
        let behind = self.is_complete(item) || entry.tail == Some(item);
        if behind && stream != Stream::LEGACY && !self.hosts.action_would_join(entry) {
            return; // A marker would change nothing.
        }
        if !behind {
            self.break_off(stream);
        }
        self.enqueue(stream, Kind::Marker, Place { event: Some(item), ..Place::default() });
    }

    pub(crate) fn enqueue(&mut self, stream: Stream, kind: Kind, place: Place) -> Item {
        let Place { event, programmatic, aside } = place;
        self.hosts.existing(stream);
        let entry = &mut self.hosts.streams[stream.index as usize];
        let primary = entry.kernel.filter(|_| programmatic);
        self.primaries.clear();
        // A wait for another event leaves them to the kernel behind it.
        let waits = if event.is_some() { Vec::new() } else { std::mem::take(&mut entry.early) };
        let node = self.add(kind, Queue::Host(stream.index));
        let item = self.item(node);
        let entry = &mut self.hosts.streams[stream.index as usize];
        let since = if kind == Kind::Grid { std::mem::take(&mut entry.since) } else { Vec::new() };
        match kind {
            Kind::Grid => entry.kernel = Some(item),
            Kind::Operation if aside && entry.kernel.is_some() => entry.since.push(item),
            Kind::Operation => (entry.kernel, entry.since) = (None, Vec::new()),
            Kind::Marker => {}
        }
        let before = self.hosts.set_tail(stream.index, Some(item));
        match (primary, before) {
            // Records in between are complete as soon as the primary is.
            (Some(primary), _) => {
                self.depend(primary, node);
                since.into_iter().for_each(|between| self.connect(EdgeKind::Prerequisite, between, node));
            }
            (None, Some(before)) => self.connect(EdgeKind::Stream, before, node),
            (None, None) => {}
        }
        for early in waits {
            match kind {
                Kind::Grid => self.depend(early, node),
                Kind::Operation | Kind::Marker => self.connect(EdgeKind::Event, early, node),
            }
        }
        if stream == Stream::LEGACY {
            self.join_blocking_streams(node);
        } else if self.hosts.streams[stream.index as usize].kind != StreamKind::NonBlocking {
            self.join_legacy_stream(stream.index, node);
        }
        if let Some(event) = event {
            self.connect(EdgeKind::Event, event, node);
        }
        if kind != Kind::Marker {
            self.order.queued(stream.index, kind == Kind::Grid, primary.is_some(), aside);
        }
        if self.nodes[node as usize].blockers == 0 {
            self.unblocked(node);
            self.advance();
        }
        item
    }

    fn join_blocking_streams(&mut self, node: u32) {
        self.hosts.legacy_actions += 1;
        while let Some(index) = self.hosts.recent.pop() {
            let entry = &mut self.hosts.streams[index as usize];
            entry.recent = false;
            if entry.kind == StreamKind::NonBlocking {
                continue; // The slot of a blocking stream that is gone.
            }
            self.order.join(Stream::LEGACY.index, index);
            if let Some(tail) = entry.tail {
                self.connect(EdgeKind::LegacyDefault, tail, node);
            }
        }
    }

    fn join_legacy_stream(&mut self, index: u32, node: u32) {
        let legacy = self.hosts.streams[0].tail;
        let entry = &mut self.hosts.streams[index as usize];
        if !std::mem::replace(&mut entry.recent, true) {
            self.hosts.recent.push(index);
        }
        // Otherwise the item before it in the stream is behind the same action already.
        if std::mem::replace(&mut entry.joined, self.hosts.legacy_actions) != self.hosts.legacy_actions {
            self.order.join(index, Stream::LEGACY.index);
            if let Some(legacy) = legacy {
                self.connect(EdgeKind::LegacyDefault, legacy, node);
            }
        }
    }

    /// Is all work of the stream complete? For the legacy default stream: that of all blocking streams too.
    pub fn stream_idle(&self, stream: Stream) -> bool {
        if stream == Stream::LEGACY {
            return self.hosts.blocking_busy == 0;
        }
        self.tail(stream).is_none()
    }

    /// The last item of the stream that is not complete: the one to wait for to synchronise with the stream. To
    /// synchronise with the legacy default stream, which means all blocking streams, wait for a [`Model::record`] in it.
    pub fn tail(&self, stream: Stream) -> Option<Item> {
        self.hosts.get(stream).and_then(|entry| entry.tail)
    }

    /// The last unfinished items of all host streams: the ones to wait for to synchronise with the device.
    pub fn tails(&self) -> impl Iterator<Item = Item> + '_ {
        self.hosts.streams.iter().filter_map(|entry| entry.tail)
    }
}
