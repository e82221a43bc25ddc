//! Stream capture.

use std::cell::RefCell;

use hotfire_device::graph::{CaptureInfo, CaptureMode, EdgeData, exchange_capture_mode};
use hotfire_device::{Device, Status, Stream};

use super::{dependencies, edge};
use crate::context;
use crate::export::export;
use crate::pointer::{In, Out};
use crate::types::{GraphEdge, Handle};

fn mode(number: u32) -> Result<CaptureMode, Status> {
    CaptureMode::of(number).ok_or(Status::INVALID_VALUE)
}

fn exchange(out: &Out<u32>) -> Result<(), Status> {
    out.set_at(0, exchange_capture_mode(mode(out.read()?)?) as u32)
}

fn end(stream: Stream, out: Out<Handle>) -> Result<(), Status> {
    // Who captured into a graph of their own need not be told which.
    match Device::get().capture_end(stream) {
        Ok(graph) => {
            out.set_if_wanted(graph as Handle);
            Ok(())
        }
        Err(status) => {
            out.set_if_wanted(std::ptr::null_mut());
            Err(status)
        }
    }
}

/// `cudaStreamCaptureStatus`
fn state(info: Option<&CaptureInfo>) -> u32 {
    match info {
        None => 0,
        Some(info) if info.valid => 1,
        Some(_) => 2,
    }
}

/// What `…GetCaptureInfo` writes; every pointer but the first may be null.
struct Wanted {
    status: Out<u32>,
    id: Out<u64>,
    graph: Out<Handle>,
    nodes: Out<*const u64>,
    edges: Out<*const GraphEdge>,
    count: Out<usize>,
}

thread_local! {
    /// The arrays that the thread's latest question was answered with.
    static ANSWER: RefCell<(Vec<u64>, Vec<GraphEdge>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

fn info(stream: Stream, wanted: Wanted) -> Result<(), Status> {
    wanted.status.check()?;
    let info = Device::get().capture_info(stream)?;
    wanted.status.set(state(info.as_ref()))?;
    let Some(info) = info.filter(|info| info.valid) else { return Ok(()) };
    wanted.id.set_if_wanted(info.id);
    wanted.graph.set_if_wanted(info.graph as Handle);
    wanted.count.set_if_wanted(info.dependencies.len());
    let plain = info.dependencies.iter().all(|(_, data)| *data == EdgeData::default());
    if !wanted.nodes.is_null() && wanted.edges.is_null() && !plain {
        return Err(Status::LOSSY_QUERY);
    }
    ANSWER.with_borrow_mut(|(nodes, edges)| {
        *nodes = info.dependencies.iter().map(|edge| edge.0).collect();
        *edges = info.dependencies.iter().map(|dependency| edge(dependency.1)).collect();
        wanted.nodes.set_if_wanted(nodes.as_ptr());
        wanted.edges.set_if_wanted(edges.as_ptr());
    });
    Ok(())
}

fn update(stream: Stream, nodes: &In<Handle>, edges: &In<GraphEdge>, count: usize, flags: u32) -> Result<(), Status> {
    const SET: u32 = 1;
    if flags > SET {
        return Err(Status::INVALID_VALUE);
    }
    Device::get().capture_update(stream, &dependencies(nodes, edges, count)?, flags == SET)
}

export! {
    /// Begins a capture.
    both fn cudaStreamBeginCapture | cudaStreamBeginCapture_ptsz | cuStreamBeginCapture_v2 | cuStreamBeginCapture_v2_ptsz as default
        (stream: Handle, number: u32) {
        Device::get().capture_begin(default.resolve(stream), mode(number)?, None)
    }

    /// Begins a capture (form without a mode).
    context fn cuStreamBeginCapture | cuStreamBeginCapture_ptsz as default (stream: Handle) {
        Device::get().capture_begin(default.resolve(stream), CaptureMode::Global, None)
    }

    /// Begins a capture into a graph.
    both fn cudaStreamBeginCaptureToGraph | cudaStreamBeginCaptureToGraph_ptsz | cuStreamBeginCaptureToGraph
        | cuStreamBeginCaptureToGraph_ptsz as default (stream: Handle, graph: Handle, nodes: In<Handle>, edges: In<GraphEdge>,
        count: usize, number: u32) {
        let nodes = dependencies(&nodes, &edges, count)?;
        Device::get().capture_begin(default.resolve(stream), mode(number)?, Some((graph as u64, nodes)))
    }

    /// Ends a capture.
    both fn cudaStreamEndCapture | cudaStreamEndCapture_ptsz | cuStreamEndCapture | cuStreamEndCapture_ptsz as default
        (stream: Handle, out: Out<Handle>) {
        end(default.resolve(stream), out)
    }

    /// Whether a stream is captured.
    both fn cudaStreamIsCapturing | cudaStreamIsCapturing_ptsz | cuStreamIsCapturing | cuStreamIsCapturing_ptsz as default
        (stream: Handle, out: Out<u32>) {
        out.set(state(Device::get().capture_info(default.resolve(stream))?.as_ref()))
    }

    /// What is captured so far.
    both fn cudaStreamGetCaptureInfo | cudaStreamGetCaptureInfo_ptsz | cuStreamGetCaptureInfo_v3 | cuStreamGetCaptureInfo_v3_ptsz
        as default (stream: Handle, status: Out<u32>, id: Out<u64>, graph: Out<Handle>, nodes: Out<*const u64>,
        edges: Out<*const GraphEdge>, count: Out<usize>) {
        info(default.resolve(stream), Wanted { status, id, graph, nodes, edges, count })
    }

    /// What is captured so far (form without edge data).
    context fn cuStreamGetCaptureInfo_v2 | cuStreamGetCaptureInfo_v2_ptsz as default (stream: Handle, status: Out<u32>,
        id: Out<u64>, graph: Out<Handle>, nodes: Out<*const u64>, count: Out<usize>) {
        info(default.resolve(stream), Wanted { status, id, graph, nodes, edges: Out::null(), count })
    }

    /// Whether and what is captured (oldest form).
    context fn cuStreamGetCaptureInfo | cuStreamGetCaptureInfo_ptsz as default (stream: Handle, status: Out<u32>, id: Out<u64>) {
        let (graph, nodes, edges, count) = (Out::null(), Out::null(), Out::null(), Out::null());
        info(default.resolve(stream), Wanted { status, id, graph, nodes, edges, count })
    }

    /// Changes what the next captured node waits for.
    both fn cudaStreamUpdateCaptureDependencies | cudaStreamUpdateCaptureDependencies_ptsz | cuStreamUpdateCaptureDependencies_v2
        | cuStreamUpdateCaptureDependencies_v2_ptsz as default (stream: Handle, nodes: In<Handle>, edges: In<GraphEdge>,
        count: usize, flags: u32) {
        update(default.resolve(stream), &nodes, &edges, count, flags)
    }

    /// Changes what the next captured node waits for (form without edge data).
    context fn cuStreamUpdateCaptureDependencies | cuStreamUpdateCaptureDependencies_ptsz as default (stream: Handle,
        nodes: In<Handle>, count: usize, flags: u32) {
        update(default.resolve(stream), &nodes, &In::null(), count, flags)
    }

    /// How this thread's calls meet captures.
    runtime_plain fn cudaThreadExchangeStreamCaptureMode(out: Out<u32>) {
        exchange(&out)
    }

    /// How this thread's calls meet captures.
    driver fn cuThreadExchangeStreamCaptureMode(out: Out<u32>) {
        context::require_initialised()?;
        exchange(&out)
    }
}
