//! Graphs (CUDA Runtime API, "Graph Management"; CUDA Driver API, the same): both APIs' forms of what the device has in one.
//!
//! Handles of graphs, nodes, executable graphs, user objects and conditional values are the device's numbers.

mod attributes;
mod capture;
mod convert;
mod edges;
mod exec;
mod memory;
mod nodes;
mod older;

use hotfire_device::Status;
use hotfire_device::graph::EdgeData;

use crate::pointer::{In, Out};
use crate::types::{GraphEdge, Handle};

/// Most nodes that one call may name: a bound for a count that a program hands in.
const MOST: usize = 1 << 24;

fn data(edge: GraphEdge) -> EdgeData {
    EdgeData { from_port: edge.from_port, to_port: edge.to_port, kind: edge.kind }
}

fn edge(data: EdgeData) -> GraphEdge {
    GraphEdge { from_port: data.from_port, to_port: data.to_port, kind: data.kind, reserved: [0; 5] }
}

/// What a node waits for; without data all edges are of the default kind.
fn dependencies(nodes: &In<Handle>, edges: &In<GraphEdge>, count: usize) -> Result<Vec<(u64, EdgeData)>, Status> {
    if count > MOST {
        return Err(Status::INVALID_VALUE);
    }
    let of = |index| {
        let data = if edges.is_null() { EdgeData::default() } else { data(edges.get_at(index)?) };
        Ok((nodes.get_at(index)? as u64, data))
    };
    (0..count).map(of).collect()
}

/// A list of handles: how many without room for them, else as many as there is room for, and null behind.
fn list(out: &Out<Handle>, count: &Out<usize>, handles: &[u64]) -> Result<(), Status> {
    let room = count.read()?;
    if out.is_null() {
        return count.set_at(0, handles.len());
    }
    for index in 0..room {
        out.set_at(index, handles.get(index).map_or(std::ptr::null_mut(), |&handle| handle as Handle))?;
    }
    count.set_at(0, room.min(handles.len()))
}

/// The data of edges that were asked for; 402 if nobody asked and some is not of the default kind.
fn list_data(out: &Out<GraphEdge>, room: usize, data: &[EdgeData]) -> Result<(), Status> {
    if out.is_null() {
        let plain = data.iter().all(|data| *data == EdgeData::default());
        return if plain { Ok(()) } else { Err(Status::LOSSY_QUERY) };
    }
    (0..room)
        .try_for_each(|index| out.set_at(index, data.get(index).map_or_else(GraphEdge::default, |data| edge(*data))))
}
