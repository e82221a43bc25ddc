//! Executable graphs: made, changed, launched.

use hotfire_device::graph::{NodeParams, Refusal, UpdateResult};
use hotfire_device::{Device, Event, Status};

use super::convert::{self, Api};
use crate::copies::direction;
use crate::export::export;
use crate::notice;
use crate::pointer::{In, Out};
use crate::runtime::{symbol_from, symbol_to};
use crate::types::{
    Address, DriverKernelNodeParams, GraphInstantiateParams, GraphNodeParams, GraphUpdateResult, Handle,
    HostNodeParams, KernelNodeParams, Memcpy3D, Memcpy3DParms, MemsetNodeParams,
};

/// Makes a graph executable; a flag that the device does not follow is named.
fn make(graph: Handle, flags: u64) -> Result<u64, Refusal> {
    const USE_NODE_PRIORITY: u64 = 8;
    if flags & USE_NODE_PRIORITY != 0 {
        notice::once("graph instantiation flag useNodePriority (8) is a hint that this device does not follow");
    }
    Device::get().graph_instantiate(graph as u64, flags)
}

/// `cudaGraphInstantiate` and its relatives.
pub(super) fn instantiate(out: Out<Handle>, graph: Handle, flags: u64) -> Result<(), Refusal> {
    let plain = |status| Refusal { status, result: 1, node: 0 };
    out.check().map_err(plain)?;
    let exec = make(graph, flags)?;
    out.set(exec as Handle).map_err(plain)
}

fn with_params(
    out: Out<Handle>,
    graph: Handle,
    params: Out<GraphInstantiateParams>,
    stream: crate::stream::Default,
) -> Result<(), Status> {
    const UPLOAD: u64 = 2;
    out.check()?;
    let mut given = params.read()?;
    let made = make(graph, given.flags);
    (given.result, given.node) = match &made {
        Ok(_) => (0, std::ptr::null_mut()),
        Err(refusal) => (refusal.result, refusal.node as Handle),
    };
    let upload = stream.resolve(given.upload_stream);
    let uploads = given.flags & UPLOAD != 0;
    params.set(given)?;
    let exec = made.map_err(|refusal| refusal.status)?;
    if uploads {
        Device::get().graph_upload(exec, upload).ok()?;
    }
    out.set(exec as Handle)
}

/// `cudaGraphExecUpdate`: the error, and what was found.
pub(super) fn update(exec: Handle, graph: Handle) -> (Result<(), Status>, UpdateResult) {
    match Device::get().graph_exec_update(exec as u64, graph as u64) {
        Ok(()) => (Ok(()), UpdateResult::default()),
        Err((status, result)) => (Err(status), result),
    }
}

fn set(exec: Handle, node: Handle, params: &NodeParams) -> Result<(), Status> {
    Device::get().graph_exec_set_node(exec as u64, node as u64, params)
}

export! {
    /// Makes an executable graph.
    both fn cudaGraphInstantiate | cuGraphInstantiateWithFlags(out: Out<Handle>, graph: Handle, flags: u64) {
        instantiate(out, graph, flags).map_err(|refusal| refusal.status)
    }

    /// Makes an executable graph.
    runtime fn cudaGraphInstantiateWithFlags(out: Out<Handle>, graph: Handle, flags: u64) {
        instantiate(out, graph, flags).map_err(|refusal| refusal.status)
    }

    /// Makes an executable graph, and says why not.
    both fn cudaGraphInstantiateWithParams | cudaGraphInstantiateWithParams_ptsz | cuGraphInstantiateWithParams
        | cuGraphInstantiateWithParams_ptsz as default (out: Out<Handle>, graph: Handle, params: Out<GraphInstantiateParams>) {
        with_params(out, graph, params, default)
    }

    /// Destroys an executable graph; launches that are under way still end.
    both fn cudaGraphExecDestroy | cuGraphExecDestroy(exec: Handle) {
        Device::get().graph_exec_destroy(exec as u64)
    }

    /// With which flags it was made.
    both fn cudaGraphExecGetFlags | cuGraphExecGetFlags(exec: Handle, flags: Out<u64>) {
        flags.set(Device::get().graph_exec_flags(exec as u64)?)
    }

    /// Queues a launch.
    both fn cudaGraphLaunch | cudaGraphLaunch_ptsz | cuGraphLaunch | cuGraphLaunch_ptsz as default (exec: Handle, stream: Handle) {
        Device::get().graph_launch(exec as u64, default.resolve(stream)).ok()
    }

    /// Makes ready what a launch needs.
    both fn cudaGraphUpload | cudaGraphUpload_ptsz | cuGraphUpload | cuGraphUpload_ptsz as default (exec: Handle, stream: Handle) {
        Device::get().graph_upload(exec as u64, default.resolve(stream)).ok()
    }

    /// Takes the parameters of another graph of the same shape.
    both fn cudaGraphExecUpdate | cuGraphExecUpdate_v2(exec: Handle, graph: Handle, out: Out<GraphUpdateResult>) {
        let (status, found) = update(exec, graph);
        out.set_if_wanted(GraphUpdateResult {
            result: found.result,
            node: found.node as Handle,
            from: found.from as Handle,
        });
        status
    }

    /// Switches a node on or off.
    both fn cudaGraphNodeSetEnabled | cuGraphNodeSetEnabled(exec: Handle, node: Handle, enabled: u32) {
        Device::get().graph_set_enabled(exec as u64, node as u64, enabled != 0)
    }

    /// Whether a node is on.
    both fn cudaGraphNodeGetEnabled | cuGraphNodeGetEnabled(exec: Handle, node: Handle, out: Out<u32>) {
        out.set(u32::from(Device::get().graph_is_enabled(exec as u64, node as u64)?))
    }

    /// Changes what a node does in later launches.
    runtime fn cudaGraphExecNodeSetParams(exec: Handle, node: Handle, params: In<GraphNodeParams>) {
        set(exec, node, &convert::any(&params.get()?, Api::Runtime)?)
    }

    /// Changes what a node does in later launches.
    context fn cuGraphExecNodeSetParams(exec: Handle, node: Handle, params: In<GraphNodeParams>) {
        set(exec, node, &convert::any(&params.get()?, Api::Driver)?)
    }

    /// Changes a kernel node.
    runtime fn cudaGraphExecKernelNodeSetParams(exec: Handle, node: Handle, params: In<KernelNodeParams>) {
        set(exec, node, &convert::runtime_kernel(&params.get()?)?)
    }

    /// Changes a kernel node.
    context fn cuGraphExecKernelNodeSetParams_v2(exec: Handle, node: Handle, params: In<DriverKernelNodeParams>) {
        set(exec, node, &convert::driver_kernel(&params.get()?)?)
    }

    /// Changes a copy node.
    runtime fn cudaGraphExecMemcpyNodeSetParams(exec: Handle, node: Handle, params: In<Memcpy3DParms>) {
        set(exec, node, &convert::memcpy(&params.get()?)?)
    }

    /// Changes a copy node.
    context fn cuGraphExecMemcpyNodeSetParams(exec: Handle, node: Handle, params: In<Memcpy3D>, _context: Handle) {
        set(exec, node, &convert::driver_memcpy(&params.get()?)?)
    }

    /// Changes a copy node.
    runtime fn cudaGraphExecMemcpyNodeSetParams1D(exec: Handle, node: Handle, to: Address, from: Address, bytes: usize,
        kind: u32) {
        set(exec, node, &convert::memcpy_1d(to, from, bytes, direction(kind)?))
    }

    /// Changes a copy node.
    runtime fn cudaGraphExecMemcpyNodeSetParamsToSymbol(exec: Handle, node: Handle, symbol: u64, from: Address, bytes: usize,
        offset: usize, kind: u32) {
        let (to, direction) = symbol_to(symbol, offset, bytes, kind)?;
        set(exec, node, &convert::memcpy_1d(to, from, bytes, direction))
    }

    /// Changes a copy node.
    runtime fn cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec: Handle, node: Handle, to: Address, symbol: u64, bytes: usize,
        offset: usize, kind: u32) {
        let (from, direction) = symbol_from(symbol, offset, bytes, kind)?;
        set(exec, node, &convert::memcpy_1d(to, from, bytes, direction))
    }

    /// Changes a set node.
    runtime fn cudaGraphExecMemsetNodeSetParams(exec: Handle, node: Handle, params: In<MemsetNodeParams>) {
        set(exec, node, &convert::memset(&params.get()?))
    }

    /// Changes a set node.
    context fn cuGraphExecMemsetNodeSetParams(exec: Handle, node: Handle, params: In<MemsetNodeParams>, _context: Handle) {
        set(exec, node, &convert::memset(&params.get()?))
    }

    /// Changes a host node.
    both fn cudaGraphExecHostNodeSetParams | cuGraphExecHostNodeSetParams(exec: Handle, node: Handle, params: In<HostNodeParams>) {
        set(exec, node, &convert::host(&params.get()?)?)
    }

    /// Takes the parameters of another graph for those of a child graph.
    both fn cudaGraphExecChildGraphNodeSetParams | cuGraphExecChildGraphNodeSetParams(exec: Handle, node: Handle, child: Handle) {
        set(exec, node, &NodeParams::Graph(child as u64))
    }

    /// Changes the event of a node.
    both fn cudaGraphExecEventRecordNodeSetEvent | cuGraphExecEventRecordNodeSetEvent(exec: Handle, node: Handle, event: Handle) {
        set(exec, node, &NodeParams::EventRecord(Event(event as u64)))
    }

    /// Changes the event of a node.
    both fn cudaGraphExecEventWaitNodeSetEvent | cuGraphExecEventWaitNodeSetEvent(exec: Handle, node: Handle, event: Handle) {
        set(exec, node, &NodeParams::WaitEvent(Event(event as u64)))
    }
}
