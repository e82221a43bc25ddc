//! Forms of the driver's functions from before edges had data, and from before nodes named kernels by `CUkernel`.

use std::ffi::c_char;

use hotfire_device::graph::NodeParams;
use hotfire_device::{Device, Status};

use super::convert::{self, Api};
use super::edges::{all, connect, disconnect, neighbours};
use super::exec::{instantiate, update};
use super::nodes::{add, add_any};
use crate::export::export;
use crate::pointer::{In, Out};
use crate::types::{GraphNodeParams, Handle, KernelNodeParams};

fn kernel(params: &In<KernelNodeParams>) -> Result<NodeParams, Status> {
    let params = params.get()?;
    convert::kernel(&params, params.func, params.func as Handle)
}

export! {
    /// Adds a node of any type.
    context fn cuGraphAddNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, params: Out<GraphNodeParams>) {
        add_any(out, graph, (&nodes, &In::null(), count), params, Api::Driver)
    }

    /// Adds a launch of a kernel.
    context fn cuGraphAddKernelNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize,
        params: In<KernelNodeParams>) {
        add(out, graph, &nodes, count, kernel(&params)?).map(drop)
    }

    /// What a kernel node is.
    context fn cuGraphKernelNodeGetParams(node: Handle, out: Out<KernelNodeParams>) {
        match Device::get().graph_node(node as u64)? {
            NodeParams::Kernel(kernel) => out.set(convert::kernel_out(&kernel)),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    /// Changes a kernel node.
    context fn cuGraphKernelNodeSetParams(node: Handle, params: In<KernelNodeParams>) {
        Device::get().graph_set_node(node as u64, kernel(&params)?)
    }

    /// Changes a kernel node of an executable graph.
    context fn cuGraphExecKernelNodeSetParams(exec: Handle, node: Handle, params: In<KernelNodeParams>) {
        Device::get().graph_exec_set_node(exec as u64, node as u64, &kernel(&params)?)
    }

    /// The edges of a graph.
    context fn cuGraphGetEdges(graph: Handle, from: Out<Handle>, to: Out<Handle>, count: Out<usize>) {
        all(graph, &from, &to, &Out::null(), &count)
    }

    /// What a node waits for.
    context fn cuGraphNodeGetDependencies(node: Handle, nodes: Out<Handle>, count: Out<usize>) {
        neighbours(Device::get().graph_dependencies(node as u64), &nodes, &Out::null(), &count)
    }

    /// What waits for a node.
    context fn cuGraphNodeGetDependentNodes(node: Handle, nodes: Out<Handle>, count: Out<usize>) {
        neighbours(Device::get().graph_dependents(node as u64), &nodes, &Out::null(), &count)
    }

    /// Adds edges.
    context fn cuGraphAddDependencies(graph: Handle, from: In<Handle>, to: In<Handle>, count: usize) {
        connect(graph, &from, &to, &In::null(), count)
    }

    /// Removes edges.
    context fn cuGraphRemoveDependencies(graph: Handle, from: In<Handle>, to: In<Handle>, count: usize) {
        disconnect(graph, &from, &to, &In::null(), count)
    }

    /// Makes an executable graph.
    context fn cuGraphInstantiate(out: Out<Handle>, graph: Handle, node: Out<Handle>, log: Out<c_char>, room: usize) {
        with_log(out, graph, node, &log, room)
    }

    /// Makes an executable graph.
    context fn cuGraphInstantiate_v2(out: Out<Handle>, graph: Handle, node: Out<Handle>, log: Out<c_char>, room: usize) {
        with_log(out, graph, node, &log, room)
    }

    /// Takes the parameters of another graph.
    context fn cuGraphExecUpdate(exec: Handle, graph: Handle, node: Out<Handle>, result: Out<u32>) {
        let (status, found) = update(exec, graph);
        result.set_if_wanted(found.result);
        node.set_if_wanted(found.node as Handle);
        status
    }
}

fn with_log(out: Out<Handle>, graph: Handle, node: Out<Handle>, log: &Out<c_char>, room: usize) -> Result<(), Status> {
    if !log.is_null() && room > 0 {
        log.set_at(0, 0)?;
    }
    instantiate(out, graph, 0).map_err(|refusal| {
        node.set_if_wanted(refusal.node as Handle);
        refusal.status
    })
}
