//! Stream capture (CUDA guide, "Creating a graph using stream capture"): calls that would queue work add nodes instead.
//!
//! A captured stream has the nodes that its next one will wait for; an event recorded in it stands for these. A stream that waits for such an
//! event is captured too, until the capture ends, by when all of it must have come together in the stream where it began. A call that
//! would carry an order across the border of a capture is an error that makes the capture invalid: all that can be done then is to end it.
//!
//! Calls are judged by the thread's mode and the capture's: *potentially unsafe* ones, such as those that allocate or wait, are refused while
//! they might be part of what is captured (`cudaStreamCaptureMode`).

mod events;
mod refusals;

use super::description::Graphs;
use super::params::{EdgeData, NodeParams, NodeType};
use crate::checking::Stack;
use crate::device::{Device, Stream};
use crate::status::Status;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::thread::ThreadId;

/// `cudaStreamCaptureMode`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureMode {
    /// Unsafe calls of all threads are refused that are in this mode themselves.
    Global,
    /// Unsafe calls of the capturing thread are refused.
    ThreadLocal,
    /// No call is refused for being unsafe.
    Relaxed,
}

impl CaptureMode {
    /// By CUDA's number.
    pub fn of(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::Global,
            1 => Self::ThreadLocal,
            2 => Self::Relaxed,
            _ => return None,
        })
    }
}

thread_local! {
    static MODE: Cell<CaptureMode> = const { Cell::new(CaptureMode::Global) };
}

/// `cudaThreadExchangeStreamCaptureMode`: the calling thread's mode before.
pub fn exchange_capture_mode(mode: CaptureMode) -> CaptureMode {
    MODE.replace(mode)
}

type Ends = Vec<(u64, EdgeData)>;

/// A capture that is under way.
#[derive(Debug)]
pub(in crate::graph) struct Capture {
    graph: u64,
    /// Where it began, and must end.
    origin: u64,
    thread: ThreadId,
    mode: CaptureMode,
    valid: bool,
    /// The graph is the program's own.
    given: bool,
    /// What the next node of each of its streams waits for.
    streams: HashMap<u64, Ends>,
    /// Nodes that it made.
    nodes: Vec<u64>,
    /// Some of its streams join with the legacy default stream.
    blocking: bool,
}

/// All captures.
#[derive(Debug, Default)]
pub(crate) struct Captures {
    active: HashMap<u64, Capture>,
    /// The capture that a stream is part of.
    streams: HashMap<u64, u64>,
    /// Events that were last recorded in a captured stream: the capture, and what they stand for.
    events: HashMap<u64, (u64, Ends)>,
    last: u64,
}

/// What `cudaStreamGetCaptureInfo` tells of a captured stream.
#[derive(Clone, Debug)]
pub struct CaptureInfo {
    /// False once the capture is invalid; then the rest says nothing.
    pub valid: bool,
    /// A number that no other capture has.
    pub id: u64,
    /// The graph so far.
    pub graph: u64,
    /// What the next node will wait for.
    pub dependencies: Vec<(u64, EdgeData)>,
}

impl Captures {
    fn of_stream(&mut self, stream: Stream) -> Option<&mut Capture> {
        self.active.get_mut(self.streams.get(&stream.0)?)
    }

    fn invalidate(&mut self, id: u64) {
        if let Some(capture) = self.active.get_mut(&id) {
            capture.valid = false;
        }
    }

    /// Makes captures invalid; true if there were any of the kind.
    fn invalidate_all(&mut self, of_kind: impl Fn(&Capture) -> bool) -> bool {
        let mut any = false;
        for capture in self.active.values_mut().filter(|capture| of_kind(capture)) {
            capture.valid = false;
            any = true;
        }
        any
    }

    fn end(&mut self, id: u64) -> Option<Capture> {
        self.streams.retain(|_, of| *of != id);
        self.active.remove(&id)
    }
}

impl Graphs {
    /// Adds a node at the end of a captured stream.
    fn capture(
        &mut self,
        stream: Stream,
        params: NodeParams,
        early: bool,
        stack: Option<Stack>,
    ) -> Result<u64, Status> {
        let capture = self.captures.of_stream(stream).ok_or(Status::ILLEGAL_STATE)?;
        if !capture.valid {
            return Err(Status::STREAM_CAPTURE_INVALIDATED);
        }
        let graph = capture.graph;
        let mut ends = capture.streams.get(&stream.0).cloned().unwrap_or_default();
        let kernel = params.node_type() == NodeType::Kernel;
        for end in &mut ends {
            let of_kernel = self.node(end.0).is_ok_and(|node| node.params.node_type() == NodeType::Kernel);
            // A programmatic event orders kernels only; anything else waits for all.
            if !(kernel && of_kernel) {
                end.1 = if end.1.kind == 1 { EdgeData::default() } else { end.1 };
            }
        }
        // Behind several kernels that were joined, each edge is programmatic [h200].
        let plain = |end: &(u64, EdgeData)| {
            end.1 == EdgeData::default()
                && self.node(end.0).is_ok_and(|node| node.params.node_type() == NodeType::Kernel)
        };
        if early && kernel && ends.iter().all(plain) {
            ends.iter_mut().for_each(|end| end.1 = EdgeData::PROGRAMMATIC);
        }
        let node = self.add(graph, &ends, params, stack)?;
        if let Some(capture) = self.captures.of_stream(stream) {
            capture.nodes.push(node);
            capture.streams.insert(stream.0, vec![(node, EdgeData::default())]);
        }
        Ok(node)
    }

    /// Whether each of these nodes comes before one of the ends, or is one.
    fn all_joined(&self, ends: &Ends, nodes: &[u64]) -> bool {
        let mut seen: HashSet<u64> = ends.iter().map(|&(node, _)| node).collect();
        let mut open: Vec<u64> = seen.iter().copied().collect();
        while let Some(node) = open.pop() {
            let before = self.node(node).map(|node| node.dependencies.as_slice()).unwrap_or_default();
            open.extend(before.iter().map(|&(from, _)| from).filter(|&from| seen.insert(from)));
        }
        nodes.iter().all(|node| seen.contains(node) || self.node(*node).is_err())
    }
}

/// Adds what is not there yet.
fn merge(ends: &mut Ends, more: &Ends) {
    for &(node, data) in more {
        match ends.iter_mut().find(|(known, _)| *known == node) {
            Some((_, known)) if *known != data => *known = EdgeData::default(),
            Some(_) => {}
            None => ends.push((node, data)),
        }
    }
}

impl Device {
    fn is_capturing_any(&self) -> bool {
        self.capturing.load(Ordering::Acquire) > 0
    }

    /// Whether the stream joins with the legacy default stream.
    fn is_blocking(&self, stream: Stream) -> Result<bool, Status> {
        self.engine.look(|state| {
            state.stream(stream)?;
            Ok(state.streams.get(stream).is_none_or(|entry| !entry.non_blocking))
        })
    }

    /// `cudaStreamBeginCapture`, and `…ToGraph` with a graph and what its first nodes wait for.
    ///
    /// # Errors
    /// 900 for the legacy default stream; 401 for one that is being captured; 1, 400.
    pub fn capture_begin(
        &'static self,
        stream: Stream,
        mode: CaptureMode,
        graph: Option<(u64, Vec<(u64, EdgeData)>)>,
    ) -> Result<(), Status> {
        let stream = self.resolve(stream);
        self.healthy()?;
        if stream == Stream::LEGACY {
            return Err(Status::STREAM_CAPTURE_UNSUPPORTED);
        }
        let blocking = self.is_blocking(stream)?;
        let mut graphs = self.graphs.lock();
        if graphs.captures.streams.contains_key(&stream.0) {
            return Err(Status::ILLEGAL_STATE);
        }
        let given = graph.is_some();
        let (graph, ends) = match graph {
            Some((graph, ends)) => {
                let holder = graphs.graph(graph)?;
                ends.iter().try_for_each(|&(node, _)| holder.node(node).map(drop))?;
                (graph, ends)
            }
            None => (graphs.create(), Vec::new()),
        };
        graphs.captures.last += 1;
        let id = graphs.captures.last;
        let capture = Capture {
            graph,
            origin: stream.0,
            thread: std::thread::current().id(),
            mode,
            valid: true,
            given,
            streams: HashMap::from([(stream.0, ends)]),
            nodes: Vec::new(),
            blocking,
        };
        graphs.captures.active.insert(id, capture);
        graphs.captures.streams.insert(stream.0, id);
        self.capturing.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// `cudaStreamEndCapture`: the graph; none, with the error, if there is none.
    ///
    /// # Errors
    /// 401 for a stream that is not captured; 903 where it did not begin; 908 in another thread, which ends it; 901 if it is invalid; 904 if work of another
    /// stream was not joined.
    pub fn capture_end(&'static self, stream: Stream) -> Result<u64, Status> {
        let stream = self.resolve(stream);
        self.engine.look(|state| state.stream(stream))?;
        let mut graphs = self.graphs.lock();
        let id = *graphs.captures.streams.get(&stream.0).ok_or(Status::ILLEGAL_STATE)?;
        let capture = graphs.captures.active.get(&id).ok_or(Status::ILLEGAL_STATE)?;
        if capture.mode != CaptureMode::Relaxed && capture.thread != std::thread::current().id() {
            // It is over all the same [h200].
            self.abandon_capture(&mut graphs, id);
            return Err(Status::STREAM_CAPTURE_WRONG_THREAD);
        }
        if capture.origin != stream.0 {
            graphs.captures.invalidate(id);
            return Err(Status::STREAM_CAPTURE_UNMATCHED);
        }
        let capture = graphs.captures.end(id).ok_or(Status::ILLEGAL_STATE)?;
        self.capturing.fetch_sub(1, Ordering::AcqRel);
        let ends = capture.streams.get(&stream.0).cloned().unwrap_or_default();
        let failed = if !capture.valid {
            Some(Status::STREAM_CAPTURE_INVALIDATED)
        } else if !graphs.all_joined(&ends, &capture.nodes) {
            Some(Status::STREAM_CAPTURE_UNJOINED)
        } else {
            None
        };
        match failed {
            None => Ok(capture.graph),
            Some(status) => {
                if !capture.given {
                    graphs.destroy(capture.graph, self)?;
                }
                Err(status)
            }
        }
    }

    /// Ends a capture of which nothing is kept.
    fn abandon_capture(&self, graphs: &mut Graphs, id: u64) {
        if let Some(capture) = graphs.captures.end(id) {
            self.capturing.fetch_sub(1, Ordering::AcqRel);
            if !capture.given {
                let _ = graphs.destroy(capture.graph, self);
            }
        }
    }

    /// `cudaStreamGetCaptureInfo`: nothing for a stream that is not captured.
    ///
    /// # Errors
    /// 400; 906 for the legacy default stream while a stream that joins with it is captured.
    pub fn capture_info(&'static self, stream: Stream) -> Result<Option<CaptureInfo>, Status> {
        let stream = self.resolve(stream);
        if stream == Stream::LEGACY {
            let graphs = self.graphs.lock();
            let implicit = graphs.captures.active.values().any(|capture| capture.blocking);
            return if implicit { Err(Status::STREAM_CAPTURE_IMPLICIT) } else { Ok(None) };
        }
        self.engine.look(|state| state.stream(stream))?;
        let mut graphs = self.graphs.lock();
        let Some(&id) = graphs.captures.streams.get(&stream.0) else { return Ok(None) };
        let Some(capture) = graphs.captures.of_stream(stream) else { return Ok(None) };
        let dependencies = capture.streams.get(&stream.0).cloned().unwrap_or_default();
        Ok(Some(CaptureInfo { valid: capture.valid, id, graph: capture.graph, dependencies }))
    }

    /// `cudaStreamUpdateCaptureDependencies`: what the next node waits for, besides what it would, or instead.
    ///
    /// # Errors
    /// 401 for a stream that is not captured; 901; 1 for nodes of other graphs.
    pub fn capture_update(
        &'static self,
        stream: Stream,
        dependencies: &[(u64, EdgeData)],
        instead: bool,
    ) -> Result<(), Status> {
        let stream = self.resolve(stream);
        let mut graphs = self.graphs.lock();
        let capture = graphs.captures.of_stream(stream).ok_or(Status::ILLEGAL_STATE)?;
        if !capture.valid {
            return Err(Status::STREAM_CAPTURE_INVALIDATED);
        }
        let graph = capture.graph;
        dependencies.iter().try_for_each(|&(node, _)| graphs.graph(graph)?.node(node).map(drop))?;
        let capture = graphs.captures.of_stream(stream).ok_or(Status::ILLEGAL_STATE)?;
        let ends = capture.streams.entry(stream.0).or_default();
        if instead {
            *ends = dependencies.to_vec();
        } else {
            merge(ends, &dependencies.to_vec());
        }
        Ok(())
    }

    /// If a (resolved) stream is captured, adds a node for a call that would queue work; the node. A call into the legacy default stream
    /// is refused while a stream that joins with it is captured.
    pub(crate) fn capture_work(
        &'static self,
        stream: Stream,
        early: bool,
        params: impl FnOnce() -> Result<NodeParams, Status>,
    ) -> Option<Result<u64, Status>> {
        if !self.is_capturing_any() {
            return None;
        }
        if let Err(status) = self.refuse_implicit(stream) {
            return Some(Err(status));
        }
        self.graphs.lock().captures.of_stream(stream)?;
        let stack = self.checking.as_ref().map(|_| Stack::here());
        let node = params().and_then(|params| self.graphs.lock().capture(stream, params, early, stack));
        Some(node)
    }
}
