//! What carries order between streams in a capture: events, launches of graphs, and what becomes of either when it is destroyed.

use super::merge;
use crate::device::{Device, Event, Stream};
use crate::graph::description::Graphs;
use crate::graph::params::{EdgeData, NodeParams};
use crate::status::Status;

impl Device {
    /// An event is recorded in a (resolved) stream: if that is captured, the event stands for what is there. `external`: a node records it.
    pub(crate) fn capture_record(
        &'static self,
        event: Event,
        stream: Stream,
        external: bool,
    ) -> Option<Result<(), Status>> {
        if self.is_capturing_any() {
            if external {
                let node = self.capture_work(stream, false, || Ok(NodeParams::EventRecord(event)));
                if let Some(recorded) = node {
                    return Some(recorded.map(drop));
                }
            } else if let Err(status) = self.refuse_implicit(stream) {
                return Some(Err(status));
            } else {
                let mut graphs = self.graphs.lock();
                let captures = &mut graphs.captures;
                if let Some(&id) = captures.streams.get(&stream.0) {
                    let Some(capture) = captures.active.get(&id) else { return Some(Err(Status::ILLEGAL_STATE)) };
                    if !capture.valid {
                        return Some(Err(Status::STREAM_CAPTURE_INVALIDATED));
                    }
                    let ends = capture.streams.get(&stream.0).cloned().unwrap_or_default();
                    captures.events.insert(event.0, (id, ends));
                    return Some(Ok(()));
                }
            }
        }
        self.graphs.lock().captures.events.remove(&event.0);
        None
    }

    /// Events that a captured launch records by its attributes stand for how far the kernel has come.
    pub(crate) fn capture_launch_event(&self, event: Event, node: u64, data: EdgeData, stream: Stream) {
        let mut graphs = self.graphs.lock();
        if let Some(&id) = graphs.captures.streams.get(&stream.0) {
            graphs.captures.events.insert(event.0, (id, vec![(node, data)]));
        }
    }

    /// A (resolved) stream waits for an event: if either is captured, so is the other from now on.
    pub(crate) fn capture_wait(
        &'static self,
        stream: Stream,
        event: Event,
        external: bool,
    ) -> Option<Result<(), Status>> {
        let mut graphs = self.graphs.lock();
        let known = graphs.captures.events.get(&event.0).cloned();
        let of_stream = graphs.captures.streams.get(&stream.0).copied();
        if let (true, Some(_)) = (external, of_stream) {
            drop(graphs);
            let node = self.capture_work(stream, false, || Ok(NodeParams::WaitEvent(event)))?;
            return Some(node.map(drop));
        }
        let invalid = |graphs: &Graphs, id: u64| graphs.captures.active.get(&id).is_some_and(|capture| !capture.valid);
        if let Some(id) = of_stream.filter(|&id| invalid(&graphs, id)) {
            let _ = id;
            return Some(Err(Status::STREAM_CAPTURE_INVALIDATED));
        }
        let Some((id, ends)) = known else {
            // Recorded outside, or never: only the latter orders nothing.
            let id = of_stream?;
            let recorded = self.engine.look(|state| state.events.get(event).map(|entry| entry.item.is_some()));
            return match recorded {
                None => Some(Err(Status::INVALID_RESOURCE_HANDLE)),
                Some(false) => Some(Ok(())),
                Some(true) => {
                    graphs.captures.invalidate(id);
                    Some(Err(Status::STREAM_CAPTURE_ISOLATION))
                }
            };
        };
        if !graphs.captures.active.contains_key(&id) {
            // The capture in which it was recorded is over [h200: 1].
            return match of_stream {
                Some(id) => {
                    graphs.captures.invalidate(id);
                    Some(Err(Status::STREAM_CAPTURE_ISOLATION))
                }
                None => Some(Err(Status::INVALID_VALUE)),
            };
        }
        if invalid(&graphs, id) {
            return Some(Err(Status::STREAM_CAPTURE_INVALIDATED));
        }
        match of_stream {
            Some(own) if own != id => {
                graphs.captures.invalidate(own);
                graphs.captures.invalidate(id);
                return Some(Err(Status::STREAM_CAPTURE_MERGE));
            }
            None if stream == Stream::LEGACY => {
                graphs.captures.invalidate(id);
                return Some(Err(Status::STREAM_CAPTURE_IMPLICIT));
            }
            _ => {}
        }
        let blocking = match self.is_blocking(stream) {
            Ok(blocking) => blocking,
            Err(status) => return Some(Err(status)),
        };
        let captures = &mut graphs.captures;
        captures.streams.insert(stream.0, id);
        if let Some(capture) = captures.active.get_mut(&id) {
            capture.blocking |= blocking;
            merge(capture.streams.entry(stream.0).or_default(), &ends);
        }
        Some(Ok(()))
    }

    /// A graph is launched into a captured stream: its nodes become those of a child graph.
    pub(in crate::graph) fn capture_exec(&'static self, stream: Stream, exec: u64) -> Option<Result<(), Status>> {
        let node = self.capture_work(stream, false, || {
            let graphs = self.graphs.lock();
            let source = graphs.exec(exec)?.source;
            graphs.graph(source).map(|_| NodeParams::Graph(source)).map_err(|_| {
                eprintln!("hotfire: a captured launch of a graph whose description was destroyed is not implemented");
                Status::NOT_SUPPORTED
            })
        })?;
        Some(node.map(drop))
    }

    /// An event was destroyed.
    pub(crate) fn forget_captured_event(&self, event: Event) {
        self.graphs.lock().captures.events.remove(&event.0);
    }

    /// A stream is destroyed: a capture that began in it is over, another one goes on.
    pub(crate) fn forget_captured_stream(&self, stream: Stream) {
        if !self.is_capturing_any() {
            return;
        }
        let mut graphs = self.graphs.lock();
        let Some(&id) = graphs.captures.streams.get(&stream.0) else { return };
        let is_origin = graphs.captures.active.get(&id).is_some_and(|capture| capture.origin == stream.0);
        graphs.captures.streams.remove(&stream.0);
        if is_origin {
            // Nobody can end it any more.
            self.abandon_capture(&mut graphs, id);
        } else if let Some(capture) = graphs.captures.active.get_mut(&id) {
            // What it did is judged by whether it was joined.
            capture.streams.remove(&stream.0);
        }
    }
}
