//! Graphs, their nodes, and what these do.

use std::ffi::c_void;

use hotfire_device::graph::NodeParams;
use hotfire_device::{Device, Event, Status};

use super::convert::{self, Api};
use super::{MOST, dependencies};
use crate::copies::direction;
use crate::export::export;
use crate::pointer::{In, Out, Text};
use crate::runtime::{symbol_from, symbol_to};
use crate::types::{
    Address, DriverKernelNodeParams, GraphEdge, GraphNodeParams, Handle, HostNodeParams, KernelNodeParams,
    MemAllocNodeParams, Memcpy3D, Memcpy3DParms, MemsetNodeParams,
};

/// Adds a node whose edges are of the default kind.
pub(super) fn add(
    out: Out<Handle>,
    graph: Handle,
    nodes: &In<Handle>,
    count: usize,
    params: NodeParams,
) -> Result<u64, Status> {
    out.check()?;
    if count > MOST {
        return Err(Status::INVALID_VALUE);
    }
    let none = In::<GraphEdge>::null();
    let node = Device::get().graph_add(graph as u64, &dependencies(nodes, &none, count)?, params)?;
    out.set(node as Handle)?;
    Ok(node)
}

/// Adds a node of any type.
pub(super) fn add_any(
    out: Out<Handle>,
    graph: Handle,
    (nodes, edges, count): (&In<Handle>, &In<GraphEdge>, usize),
    params: Out<GraphNodeParams>,
    api: Api,
) -> Result<(), Status> {
    out.check()?;
    let mut given = params.read()?;
    let node =
        Device::get().graph_add(graph as u64, &dependencies(nodes, edges, count)?, convert::any(&given, api)?)?;
    convert::answer(&mut given, node, &Device::get().graph_node(node)?);
    params.set(given)?;
    out.set(node as Handle)
}

fn set(node: Handle, params: NodeParams) -> Result<(), Status> {
    let mut params = params;
    // Attributes are set by calls of their own, and stay.
    if let (NodeParams::Kernel(new), NodeParams::Kernel(old)) = (&mut params, Device::get().graph_node(node as u64)?) {
        (new.attributes, new.set) = (old.attributes, old.set);
    }
    Device::get().graph_set_node(node as u64, params)
}

macro_rules! get {
    ($node:expr, $pattern:pat => $result:expr) => {
        match Device::get().graph_node($node as u64)? {
            $pattern => $result,
            _ => return Err(Status::INVALID_VALUE),
        }
    };
}

fn add_alloc(
    out: Out<Handle>,
    graph: Handle,
    nodes: &In<Handle>,
    count: usize,
    params: Out<MemAllocNodeParams>,
) -> Result<(), Status> {
    let mut given = params.read()?;
    let node = add(out, graph, nodes, count, convert::alloc(&given)?)?;
    given.dptr = get!(node, NodeParams::MemAlloc(alloc) => alloc.address);
    params.set(given)
}

fn get_alloc(node: Handle, out: Out<MemAllocNodeParams>) -> Result<(), Status> {
    let alloc = get!(node, NodeParams::MemAlloc(alloc) => alloc);
    // SAFETY: a structure of numbers and pointers, for which zero stands for none.
    let mut params: MemAllocNodeParams = unsafe { std::mem::zeroed() };
    (params.pool.allocation, params.pool.location.kind) = (1, 1);
    (params.bytes, params.dptr) = (alloc.bytes as usize, alloc.address);
    out.set(params)
}

export! {
    /// A new graph.
    both fn cudaGraphCreate | cuGraphCreate(out: Out<Handle>, flags: u32) {
        out.check()?;
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        out.set(Device::get().graph_create() as Handle)
    }

    /// Destroys a graph; what was made of it lives on.
    both fn cudaGraphDestroy | cuGraphDestroy(graph: Handle) {
        Device::get().graph_destroy(graph as u64)
    }

    /// Adds a node of any type.
    runtime fn cudaGraphAddNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>, edges: In<GraphEdge>, count: usize,
        params: Out<GraphNodeParams>) {
        add_any(out, graph, (&nodes, &edges, count), params, Api::Runtime)
    }

    /// Adds a node of any type.
    context fn cuGraphAddNode_v2(out: Out<Handle>, graph: Handle, nodes: In<Handle>, edges: In<GraphEdge>, count: usize,
        params: Out<GraphNodeParams>) {
        add_any(out, graph, (&nodes, &edges, count), params, Api::Driver)
    }

    /// Changes what a node does.
    runtime fn cudaGraphNodeSetParams(node: Handle, params: In<GraphNodeParams>) {
        set(node, convert::any(&params.get()?, Api::Runtime)?)
    }

    /// Changes what a node does.
    context fn cuGraphNodeSetParams(node: Handle, params: In<GraphNodeParams>) {
        set(node, convert::any(&params.get()?, Api::Driver)?)
    }

    /// Adds a launch of a kernel.
    runtime fn cudaGraphAddKernelNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize,
        params: In<KernelNodeParams>) {
        add(out, graph, &nodes, count, convert::runtime_kernel(&params.get()?)?).map(drop)
    }

    /// Adds a launch of a kernel.
    context fn cuGraphAddKernelNode_v2(out: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize,
        params: In<DriverKernelNodeParams>) {
        add(out, graph, &nodes, count, convert::driver_kernel(&params.get()?)?).map(drop)
    }

    /// What a kernel node is; the arguments may be read until it changes.
    runtime fn cudaGraphKernelNodeGetParams(node: Handle, out: Out<KernelNodeParams>) {
        out.set(get!(node, NodeParams::Kernel(kernel) => convert::kernel_out(&kernel)))
    }

    /// What a kernel node is; the arguments may be read until it changes.
    context fn cuGraphKernelNodeGetParams_v2(node: Handle, out: Out<DriverKernelNodeParams>) {
        let base = get!(node, NodeParams::Kernel(kernel) => convert::kernel_out(&kernel));
        out.set(DriverKernelNodeParams { base, kern: std::ptr::null_mut(), ctx: std::ptr::null_mut() })
    }

    /// Changes a kernel node.
    runtime fn cudaGraphKernelNodeSetParams(node: Handle, params: In<KernelNodeParams>) {
        set(node, convert::runtime_kernel(&params.get()?)?)
    }

    /// Changes a kernel node.
    context fn cuGraphKernelNodeSetParams_v2(node: Handle, params: In<DriverKernelNodeParams>) {
        set(node, convert::driver_kernel(&params.get()?)?)
    }

    /// Adds a copy.
    runtime fn cudaGraphAddMemcpyNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize,
        params: In<Memcpy3DParms>) {
        add(out, graph, &nodes, count, convert::memcpy(&params.get()?)?).map(drop)
    }

    /// Adds a copy.
    context fn cuGraphAddMemcpyNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, params: In<Memcpy3D>,
        _context: Handle) {
        add(out, graph, &nodes, count, convert::driver_memcpy(&params.get()?)?).map(drop)
    }

    /// Adds a copy of bytes.
    runtime fn cudaGraphAddMemcpyNode1D(out: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, to: Address,
        from: Address, bytes: usize, kind: u32) {
        add(out, graph, &nodes, count, convert::memcpy_1d(to, from, bytes, direction(kind)?)).map(drop)
    }

    /// Adds a copy to a variable.
    runtime fn cudaGraphAddMemcpyNodeToSymbol(out: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, symbol: u64,
        from: Address, bytes: usize, offset: usize, kind: u32) {
        let (to, direction) = symbol_to(symbol, offset, bytes, kind)?;
        add(out, graph, &nodes, count, convert::memcpy_1d(to, from, bytes, direction)).map(drop)
    }

    /// Adds a copy from a variable.
    runtime fn cudaGraphAddMemcpyNodeFromSymbol(out: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, to: Address,
        symbol: u64, bytes: usize, offset: usize, kind: u32) {
        let (from, direction) = symbol_from(symbol, offset, bytes, kind)?;
        add(out, graph, &nodes, count, convert::memcpy_1d(to, from, bytes, direction)).map(drop)
    }

    /// What a copy node is.
    runtime fn cudaGraphMemcpyNodeGetParams(node: Handle, out: Out<Memcpy3DParms>) {
        out.set(get!(node, NodeParams::Memcpy(copy, direction) => convert::memcpy_out(&copy, direction)))
    }

    /// What a copy node is.
    context fn cuGraphMemcpyNodeGetParams(node: Handle, out: Out<Memcpy3D>) {
        out.set(get!(node, NodeParams::Memcpy(copy, direction) => convert::driver_memcpy_out(&copy, direction)))
    }

    /// Changes a copy node.
    runtime fn cudaGraphMemcpyNodeSetParams(node: Handle, params: In<Memcpy3DParms>) {
        set(node, convert::memcpy(&params.get()?)?)
    }

    /// Changes a copy node.
    context fn cuGraphMemcpyNodeSetParams(node: Handle, params: In<Memcpy3D>) {
        set(node, convert::driver_memcpy(&params.get()?)?)
    }

    /// Changes a copy node.
    runtime fn cudaGraphMemcpyNodeSetParams1D(node: Handle, to: Address, from: Address, bytes: usize, kind: u32) {
        set(node, convert::memcpy_1d(to, from, bytes, direction(kind)?))
    }

    /// Changes a copy node.
    runtime fn cudaGraphMemcpyNodeSetParamsToSymbol(node: Handle, symbol: u64, from: Address, bytes: usize, offset: usize,
        kind: u32) {
        let (to, direction) = symbol_to(symbol, offset, bytes, kind)?;
        set(node, convert::memcpy_1d(to, from, bytes, direction))
    }

    /// Changes a copy node.
    runtime fn cudaGraphMemcpyNodeSetParamsFromSymbol(node: Handle, to: Address, symbol: u64, bytes: usize, offset: usize,
        kind: u32) {
        let (from, direction) = symbol_from(symbol, offset, bytes, kind)?;
        set(node, convert::memcpy_1d(to, from, bytes, direction))
    }

    /// Adds a set of memory.
    runtime fn cudaGraphAddMemsetNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize,
        params: In<MemsetNodeParams>) {
        add(out, graph, &nodes, count, convert::memset(&params.get()?)).map(drop)
    }

    /// Adds a set of memory.
    context fn cuGraphAddMemsetNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize,
        params: In<MemsetNodeParams>, _context: Handle) {
        add(out, graph, &nodes, count, convert::memset(&params.get()?)).map(drop)
    }

    /// What a set node is.
    both fn cudaGraphMemsetNodeGetParams | cuGraphMemsetNodeGetParams(node: Handle, out: Out<MemsetNodeParams>) {
        out.set(get!(node, NodeParams::Memset(fill) => convert::memset_out(&fill)))
    }

    /// Changes a set node.
    both fn cudaGraphMemsetNodeSetParams | cuGraphMemsetNodeSetParams(node: Handle, params: In<MemsetNodeParams>) {
        set(node, convert::memset(&params.get()?))
    }

    /// Adds a call of a host function.
    both fn cudaGraphAddHostNode | cuGraphAddHostNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize,
        params: In<HostNodeParams>) {
        add(out, graph, &nodes, count, convert::host(&params.get()?)?).map(drop)
    }

    /// What a host node is.
    both fn cudaGraphHostNodeGetParams | cuGraphHostNodeGetParams(node: Handle, out: Out<HostNodeParams>) {
        out.set(get!(node, NodeParams::Host(host) =>
            HostNodeParams { function: Some(host.function), data: host.data as *mut c_void }))
    }

    /// Changes a host node.
    both fn cudaGraphHostNodeSetParams | cuGraphHostNodeSetParams(node: Handle, params: In<HostNodeParams>) {
        set(node, convert::host(&params.get()?)?)
    }

    /// Adds a copy of a graph as one node.
    both fn cudaGraphAddChildGraphNode | cuGraphAddChildGraphNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>,
        count: usize, child: Handle) {
        add(out, graph, &nodes, count, NodeParams::Graph(child as u64)).map(drop)
    }

    /// The graph of a child graph node.
    both fn cudaGraphChildGraphNodeGetGraph | cuGraphChildGraphNodeGetGraph(node: Handle, out: Out<Handle>) {
        out.set(get!(node, NodeParams::Graph(child) => child as Handle))
    }

    /// Adds a node that only orders.
    both fn cudaGraphAddEmptyNode | cuGraphAddEmptyNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize) {
        add(out, graph, &nodes, count, NodeParams::Empty).map(drop)
    }

    /// Adds the record of an event.
    both fn cudaGraphAddEventRecordNode | cuGraphAddEventRecordNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>,
        count: usize, event: Handle) {
        add(out, graph, &nodes, count, NodeParams::EventRecord(Event(event as u64))).map(drop)
    }

    /// The event of a node.
    both fn cudaGraphEventRecordNodeGetEvent | cuGraphEventRecordNodeGetEvent(node: Handle, out: Out<Handle>) {
        out.set(get!(node, NodeParams::EventRecord(event) => event.0 as Handle))
    }

    /// Changes the event of a node.
    both fn cudaGraphEventRecordNodeSetEvent | cuGraphEventRecordNodeSetEvent(node: Handle, event: Handle) {
        set(node, NodeParams::EventRecord(Event(event as u64)))
    }

    /// Adds a wait for an event.
    both fn cudaGraphAddEventWaitNode | cuGraphAddEventWaitNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>,
        count: usize, event: Handle) {
        add(out, graph, &nodes, count, NodeParams::WaitEvent(Event(event as u64))).map(drop)
    }

    /// The event of a node.
    both fn cudaGraphEventWaitNodeGetEvent | cuGraphEventWaitNodeGetEvent(node: Handle, out: Out<Handle>) {
        out.set(get!(node, NodeParams::WaitEvent(event) => event.0 as Handle))
    }

    /// Changes the event of a node.
    both fn cudaGraphEventWaitNodeSetEvent | cuGraphEventWaitNodeSetEvent(node: Handle, event: Handle) {
        set(node, NodeParams::WaitEvent(Event(event as u64)))
    }

    /// Adds an allocation; its address is known at once.
    both fn cudaGraphAddMemAllocNode | cuGraphAddMemAllocNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>,
        count: usize, params: Out<MemAllocNodeParams>) {
        add_alloc(out, graph, &nodes, count, params)
    }

    /// What an allocation node is.
    both fn cudaGraphMemAllocNodeGetParams | cuGraphMemAllocNodeGetParams(node: Handle, out: Out<MemAllocNodeParams>) {
        get_alloc(node, out)
    }

    /// Adds the free of an allocation.
    both fn cudaGraphAddMemFreeNode | cuGraphAddMemFreeNode(out: Out<Handle>, graph: Handle, nodes: In<Handle>,
        count: usize, address: Address) {
        add(out, graph, &nodes, count, NodeParams::MemFree(address)).map(drop)
    }

    /// What a free node frees.
    both fn cudaGraphMemFreeNodeGetParams | cuGraphMemFreeNodeGetParams(node: Handle, out: Out<Address>) {
        out.set(get!(node, NodeParams::MemFree(address) => address))
    }

    /// The type of a node.
    both fn cudaGraphNodeGetType | cuGraphNodeGetType(node: Handle, out: Out<u32>) {
        out.set(Device::get().graph_node(node as u64)?.node_type() as u32)
    }

    /// Destroys a node and its edges.
    both fn cudaGraphDestroyNode | cuGraphDestroyNode(node: Handle) {
        Device::get().graph_destroy_node(node as u64)
    }

    /// A copy of a graph.
    both fn cudaGraphClone | cuGraphClone(out: Out<Handle>, graph: Handle) {
        out.check()?;
        out.set(Device::get().graph_clone(graph as u64)? as Handle)
    }

    /// The copy of a node in a clone.
    both fn cudaGraphNodeFindInClone | cuGraphNodeFindInClone(out: Out<Handle>, node: Handle, clone: Handle) {
        out.check()?;
        out.set(Device::get().graph_find_in_clone(node as u64, clone as u64)? as Handle)
    }

    /// A value that kernels set and a conditional node looks at.
    runtime fn cudaGraphConditionalHandleCreate(out: Out<u64>, graph: Handle, default: u32, flags: u32) {
        condition(out, graph, default, flags)
    }

    /// A value that kernels set and a conditional node looks at.
    context fn cuGraphConditionalHandleCreate(out: Out<u64>, graph: Handle, _context: Handle, default: u32, flags: u32) {
        condition(out, graph, default, flags)
    }

    /// Writes a graph as a drawing for Graphviz.
    both fn cudaGraphDebugDotPrint | cuGraphDebugDotPrint(graph: Handle, path: Text, flags: u32) {
        let text = Device::get().graph_dot(graph as u64, flags)?;
        std::fs::write(path.get()?, text).map_err(|_| Status::OPERATING_SYSTEM)
    }
}

fn condition(out: Out<u64>, graph: Handle, default: u32, flags: u32) -> Result<(), Status> {
    const ASSIGN: u32 = 1;
    out.check()?;
    if flags & !ASSIGN != 0 {
        return Err(Status::INVALID_VALUE);
    }
    out.set(Device::get().graph_condition(graph as u64, default, flags & ASSIGN != 0)?)
}
