//! Edges, and questions about the shape of a graph.

use hotfire_device::graph::EdgeData;
use hotfire_device::{Device, Status};

use super::{MOST, data, list, list_data};
use crate::export::export;
use crate::pointer::{In, Out};
use crate::types::{GraphEdge, Handle};

/// Edges by their ends; without data all are of the default kind.
fn edges(
    from: &In<Handle>,
    to: &In<Handle>,
    edges: &In<GraphEdge>,
    count: usize,
) -> Result<Vec<(u64, u64, EdgeData)>, Status> {
    if count > MOST {
        return Err(Status::INVALID_VALUE);
    }
    let of = |index| {
        let data = if edges.is_null() { EdgeData::default() } else { data(edges.get_at(index)?) };
        Ok((from.get_at(index)? as u64, to.get_at(index)? as u64, data))
    };
    (0..count).map(of).collect()
}

pub(super) fn connect(
    graph: Handle,
    from: &In<Handle>,
    to: &In<Handle>,
    data: &In<GraphEdge>,
    count: usize,
) -> Result<(), Status> {
    Device::get().graph_connect(graph as u64, &edges(from, to, data, count)?)
}

pub(super) fn disconnect(
    graph: Handle,
    from: &In<Handle>,
    to: &In<Handle>,
    data: &In<GraphEdge>,
    count: usize,
) -> Result<(), Status> {
    Device::get().graph_disconnect(graph as u64, &edges(from, to, data, count)?)
}

pub(super) fn all(
    graph: Handle,
    from: &Out<Handle>,
    to: &Out<Handle>,
    data: &Out<GraphEdge>,
    count: &Out<usize>,
) -> Result<(), Status> {
    let edges = Device::get().graph_edges(graph as u64)?;
    let room = count.read()?;
    if from.is_null() != to.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    if !from.is_null() {
        list_data(data, room, &edges.iter().map(|edge| edge.2).collect::<Vec<_>>())?;
        let targets: Vec<u64> = edges.iter().map(|edge| edge.1).collect();
        for index in 0..room {
            to.set_at(index, targets.get(index).map_or(std::ptr::null_mut(), |&node| node as Handle))?;
        }
    }
    list(from, count, &edges.iter().map(|edge| edge.0).collect::<Vec<_>>())
}

/// The nodes at the other ends of a node's edges.
pub(super) fn neighbours(
    found: Result<Vec<(u64, EdgeData)>, Status>,
    nodes: &Out<Handle>,
    data: &Out<GraphEdge>,
    count: &Out<usize>,
) -> Result<(), Status> {
    let found = found?;
    if !nodes.is_null() {
        list_data(data, count.read()?, &found.iter().map(|edge| edge.1).collect::<Vec<_>>())?;
    }
    list(nodes, count, &found.iter().map(|edge| edge.0).collect::<Vec<_>>())
}

export! {
    /// The nodes of a graph.
    both fn cudaGraphGetNodes | cuGraphGetNodes(graph: Handle, nodes: Out<Handle>, count: Out<usize>) {
        list(&nodes, &count, &Device::get().graph_nodes(graph as u64)?)
    }

    /// The nodes that wait for nothing.
    both fn cudaGraphGetRootNodes | cuGraphGetRootNodes(graph: Handle, nodes: Out<Handle>, count: Out<usize>) {
        list(&nodes, &count, &Device::get().graph_roots(graph as u64)?)
    }

    /// The edges of a graph.
    both fn cudaGraphGetEdges | cuGraphGetEdges_v2(graph: Handle, from: Out<Handle>, to: Out<Handle>, data: Out<GraphEdge>,
        count: Out<usize>) {
        all(graph, &from, &to, &data, &count)
    }

    /// What a node waits for.
    both fn cudaGraphNodeGetDependencies | cuGraphNodeGetDependencies_v2(node: Handle, nodes: Out<Handle>,
        data: Out<GraphEdge>, count: Out<usize>) {
        neighbours(Device::get().graph_dependencies(node as u64), &nodes, &data, &count)
    }

    /// What waits for a node.
    both fn cudaGraphNodeGetDependentNodes | cuGraphNodeGetDependentNodes_v2(node: Handle, nodes: Out<Handle>,
        data: Out<GraphEdge>, count: Out<usize>) {
        neighbours(Device::get().graph_dependents(node as u64), &nodes, &data, &count)
    }

    /// Adds edges.
    both fn cudaGraphAddDependencies | cuGraphAddDependencies_v2(graph: Handle, from: In<Handle>, to: In<Handle>,
        data: In<GraphEdge>, count: usize) {
        connect(graph, &from, &to, &data, count)
    }

    /// Removes edges.
    both fn cudaGraphRemoveDependencies | cuGraphRemoveDependencies_v2(graph: Handle, from: In<Handle>, to: In<Handle>,
        data: In<GraphEdge>, count: usize) {
        disconnect(graph, &from, &to, &data, count)
    }
}
