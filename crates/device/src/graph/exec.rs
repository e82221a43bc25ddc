//! Executable graphs (CUDA guide, "Graph instantiation", "Updating instantiated graphs").

use super::body::{Body, BodyNode, Refusal, Work};
use super::description::Graphs;
use super::params::{NodeParams, NodeType};
use crate::device::Device;
use crate::status::Status;
use hotfire_launch::Item;
use hotfire_launch::order::Facts;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32};

/// `cudaGraphInstantiateFlagAutoFreeOnLaunch`
const AUTO_FREE: u64 = 1;
/// `cudaGraphInstantiateFlagUpload`
const UPLOAD: u64 = 2;
/// `cudaGraphInstantiateFlagDeviceLaunch`
const DEVICE_LAUNCH: u64 = 4;
/// `cudaGraphInstantiateFlagUseNodePriority`
const PRIORITY: u64 = 8;

/// A value that decides a conditional node.
pub(crate) struct Value {
    pub now: AtomicU32,
    pub default: u32,
    /// Each launch begins with the default.
    pub assigned: bool,
}

/// An executable graph.
pub(crate) struct Exec {
    pub handle: u64,
    /// The graph that it was made from.
    pub source: u64,
    flags: u64,
    /// What the next launch runs.
    pub body: Mutex<Arc<Body>>,
    pub values: HashMap<u64, Value>,
    /// The latest launch by the host, and what is complete once it is. Launches of one executable graph run one after another.
    pub last: Mutex<Option<(Item, Facts)>>,
    /// A launch by device code is pending or runs.
    pub busy: AtomicBool,
    /// It asked to run again behind itself.
    pub again: AtomicBool,
    /// It was uploaded, or launched by the host, since it was made or changed: then device code may launch it.
    pub uploaded: AtomicBool,
    /// Addresses that its nodes allocate, and those of them that no node frees.
    allocated: Vec<u64>,
    pub kept: Vec<u64>,
    objects: Vec<(u64, u32)>,
}

impl Exec {
    /// Whether device code may launch it.
    pub fn is_for_device(&self) -> bool {
        self.flags & DEVICE_LAUNCH != 0
    }

    /// Whether a launch frees what earlier ones left.
    pub fn frees(&self) -> bool {
        self.flags & AUTO_FREE != 0
    }
}

/// What `cudaGraphExecUpdate` found.
#[derive(Clone, Copy, Debug, Default)]
pub struct UpdateResult {
    /// `cudaGraphExecUpdateResult`
    pub result: u32,
    /// The node of the new graph that is to blame; 0 for none.
    pub node: u64,
    /// The node at the other end of the edge that is.
    pub from: u64,
}

impl Graphs {
    pub fn exec(&self, exec: u64) -> Result<Arc<Exec>, Status> {
        self.execs.get(&exec).cloned().ok_or(Status::INVALID_VALUE)
    }

    /// What CUDA forbids in graphs that device code launches.
    fn check_for_device(&self, graph: u64) -> Result<(), Refusal> {
        let refuse = |node| Refusal { status: Status::INVALID_VALUE, result: 3, node };
        let graph = self.graph(graph).map_err(|status| Refusal { status, result: 1, node: 0 })?;
        if graph.nodes.is_empty() {
            return Err(Refusal { status: Status::INVALID_VALUE, result: 1, node: 0 });
        }
        for node in &graph.nodes {
            match &node.params {
                NodeParams::Kernel(kernel) if kernel.function.launches() || kernel.attributes.cooperative => {
                    return Err(refuse(node.handle));
                }
                NodeParams::Kernel(_) | NodeParams::Memcpy(..) | NodeParams::Memset(_) | NodeParams::Empty => {}
                NodeParams::Graph(child) => self.check_for_device(*child)?,
                _ => return Err(refuse(node.handle)),
            }
        }
        Ok(())
    }

    /// Bodies of conditional nodes hold no device launches, and only some types of nodes (CUDA guide, "Conditional graph nodes").
    fn check_bodies(&self, graph: u64, within: bool) -> Result<(), Refusal> {
        let graph = self.graph(graph).map_err(|status| Refusal { status, result: 1, node: 0 })?;
        for node in &graph.nodes {
            match &node.params {
                NodeParams::Kernel(kernel) if within && kernel.function.launches() => {
                    return Err(Refusal { status: Status::NOT_SUPPORTED, result: 3, node: node.handle });
                }
                NodeParams::Kernel(_) | NodeParams::Empty | NodeParams::Memset(_) | NodeParams::Memcpy(..) => {}
                NodeParams::Graph(child) => self.check_bodies(*child, within)?,
                NodeParams::Conditional(conditional) => {
                    conditional.bodies.iter().try_for_each(|&body| self.check_bodies(body, true))?;
                }
                _ if within => {
                    return Err(Refusal { status: Status::INVALID_VALUE, result: 3, node: node.handle });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Device {
    /// `cudaGraphInstantiate` and its relatives: the handle of the executable graph.
    ///
    /// # Errors
    /// See [`Refusal`].
    pub fn graph_instantiate(&'static self, graph: u64, flags: u64) -> Result<u64, Refusal> {
        let refuse = |status, result| Refusal { status, result, node: 0 };
        self.healthy().map_err(|status| refuse(status, 1))?;
        let known = AUTO_FREE | UPLOAD | DEVICE_LAUNCH | PRIORITY;
        let both = AUTO_FREE | DEVICE_LAUNCH;
        if flags & !known != 0 || flags & both == both {
            return Err(refuse(Status::INVALID_VALUE, 1));
        }
        let mut graphs = self.graphs.lock();
        let graphs = &mut *graphs;
        graphs.graph(graph).map_err(|status| refuse(status, 1))?;
        if flags & DEVICE_LAUNCH != 0 {
            graphs.check_for_device(graph)?;
        }
        graphs.check_bodies(graph, false)?;
        if graphs.conditions.values().any(|condition| condition.graph == graph && condition.node == 0) {
            return Err(refuse(Status::INVALID_VALUE, 5));
        }
        let memory = |kind| matches!(kind, NodeType::MemAlloc | NodeType::MemFree);
        if graphs.execs.values().any(|exec| exec.source == graph)
            && graphs.holds(graph, memory).map_err(|status| refuse(status, 1))?
        {
            // An address is that of one executable graph.
            return Err(refuse(Status::NOT_SUPPORTED, 1));
        }
        let body = Body::new(self, graphs, graph)?;
        let mut found = Vec::new();
        body.find(&|node| memory(node.kind), &mut found);
        let allocated: Vec<u64> = found
            .iter()
            .filter_map(|node| match node.work {
                Work::Alloc(alloc) => Some(alloc.address),
                _ => None,
            })
            .collect();
        let frees =
            |address: &u64| found.iter().any(|node| matches!(node.work, Work::Free(freed) if freed == *address));
        let kept = allocated.iter().copied().filter(|address| !frees(address)).collect();
        allocated.iter().for_each(|&address| self.graph_memory.hold(address));
        let values = graphs.conditions.iter().filter(|(_, condition)| condition.graph == graph);
        let values = values.map(|(&handle, condition)| {
            let now = AtomicU32::new(condition.default);
            (handle, Value { now, default: condition.default, assigned: condition.assigned })
        });
        let values = values.collect();
        let objects = graphs.graph(graph).map(|graph| graph.objects.clone()).unwrap_or_default();
        for &(object, count) in &objects {
            let _ = graphs.objects.retain(object, count);
        }
        let handle = graphs.handle();
        let exec = Exec {
            handle,
            source: graph,
            flags,
            body: Mutex::new(body),
            values,
            last: Mutex::new(None),
            busy: AtomicBool::new(false),
            again: AtomicBool::new(false),
            uploaded: AtomicBool::new(flags & UPLOAD != 0),
            allocated,
            kept,
            objects,
        };
        graphs.execs.insert(handle, Arc::new(exec));
        Ok(handle)
    }

    /// `cudaGraphExecDestroy`: launches that are under way still end.
    ///
    /// # Errors
    /// 1 for a handle that is none; so do all below.
    pub fn graph_exec_destroy(&self, exec: u64) -> Result<(), Status> {
        let mut graphs = self.graphs.lock();
        let exec = graphs.execs.remove(&exec).ok_or(Status::INVALID_VALUE)?;
        exec.allocated.iter().for_each(|&address| self.graph_memory.unreserve(self, address));
        for &(object, count) in &exec.objects {
            graphs.objects.release(object, count)?;
        }
        graphs.objects.run()
    }

    /// `cudaGraphExecGetFlags`.
    ///
    /// # Errors
    /// 1
    pub fn graph_exec_flags(&self, exec: u64) -> Result<u64, Status> {
        Ok(self.graphs.lock().exec(exec)?.flags & !UPLOAD)
    }

    fn change_exec<R>(
        &self,
        exec: &Exec,
        node: u64,
        change: &mut dyn FnMut(&mut BodyNode) -> Result<R, Status>,
    ) -> Result<R, Status> {
        let mut body = exec.body.lock();
        Arc::make_mut(&mut body).change(node, change).unwrap_or(Err(Status::INVALID_VALUE))
    }

    /// `cudaGraphNodeSetEnabled`, for kernels, copies and sets: later launches pass the node over.
    ///
    /// # Errors
    /// 1
    pub fn graph_set_enabled(&self, exec: u64, node: u64, enabled: bool) -> Result<(), Status> {
        let exec = self.graphs.lock().exec(exec)?;
        self.change_exec(&exec, node, &mut |node| match node.kind {
            NodeType::Kernel | NodeType::Memcpy | NodeType::Memset => {
                node.enabled = enabled;
                Ok(())
            }
            _ => Err(Status::INVALID_VALUE),
        })
    }

    /// `cudaGraphNodeGetEnabled`.
    ///
    /// # Errors
    /// 1
    pub fn graph_is_enabled(&self, exec: u64, node: u64) -> Result<bool, Status> {
        let exec = self.graphs.lock().exec(exec)?;
        let body = exec.body.lock();
        let mut found = Vec::new();
        body.find(&|known| known.handle == node, &mut found);
        match found.first() {
            Some(node) if matches!(node.kind, NodeType::Kernel | NodeType::Memcpy | NodeType::Memset) => {
                Ok(node.enabled)
            }
            _ => Err(Status::INVALID_VALUE),
        }
    }

    /// `cudaGraphExecNodeSetParams` and its relatives: later launches have it so.
    ///
    /// # Errors
    /// 1, also for what may not change in an executable graph.
    pub fn graph_exec_set_node(&'static self, exec: u64, node: u64, params: &NodeParams) -> Result<(), Status> {
        self.check_node(params)?;
        let graphs = self.graphs.lock();
        let exec = graphs.exec(exec)?;
        let work = Body::work(self, &graphs, params).map_err(|refusal| refusal.status)?;
        exec.uploaded.store(false, std::sync::atomic::Ordering::Relaxed);
        self.change_exec(&exec, node, &mut |node| {
            if node.kind != params.node_type() {
                return Err(Status::INVALID_VALUE);
            }
            replace(node, work.clone())
        })
    }

    /// `cudaGraphExecUpdate`: takes the parameters of another graph of the same shape.
    ///
    /// # Errors
    /// 910 if the graph differs in more than parameters that may change; nothing is changed then.
    pub fn graph_exec_update(&'static self, exec: u64, graph: u64) -> Result<(), (Status, UpdateResult)> {
        let blame = |status, result, node| (status, UpdateResult { result, node, from: 0 });
        let graphs = self.graphs.lock();
        let exec = graphs.exec(exec).map_err(|status| blame(status, 1, 0))?;
        let new = Body::new(self, &graphs, graph).map_err(|refusal| match refusal.result {
            2 => blame(Status::GRAPH_EXEC_UPDATE_FAILURE, 2, refusal.node),
            _ => blame(Status::GRAPH_EXEC_UPDATE_FAILURE, 1, refusal.node),
        })?;
        let mut body = exec.body.lock();
        let merged = merge(&body, &new)
            .map_err(|(result, node, from)| (Status::GRAPH_EXEC_UPDATE_FAILURE, UpdateResult { result, node, from }))?;
        *body = Arc::new(merged);
        exec.uploaded.store(false, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    }
}

/// A node gets other parameters, if they may change.
fn replace(node: &mut BodyNode, work: Work) -> Result<(), Status> {
    let same = match (&node.work, &work) {
        (Work::Graph(old), Work::Graph(new)) => {
            node.work = Work::Graph(Arc::new(merge(old, new).map_err(|_| Status::INVALID_VALUE)?));
            return Ok(());
        }
        (Work::Kernel(old), Work::Kernel(new)) => old.cooperative == new.cooperative,
        (Work::Copy(old), Work::Copy(new)) => {
            (old.height == 1 && old.depth == 1) == (new.height == 1 && new.depth == 1)
        }
        (Work::Fill(old), Work::Fill(new)) => (old.height == 1) == (new.height == 1),
        (Work::Alloc(old), Work::Alloc(new)) => old.address == new.address,
        (Work::Free(old), Work::Free(new)) => old == new,
        (Work::Host(_), Work::Host(_))
        | (Work::Nothing, _)
        | (_, Work::Nothing)
        | (Work::Wait(_), Work::Wait(_))
        | (Work::Record(_), Work::Record(_)) => true,
        _ => false,
    };
    if !same {
        return Err(Status::INVALID_VALUE);
    }
    node.work = work;
    Ok(())
}

/// A body with the nodes and edges of `old` and the parameters of `new`; else `cudaGraphExecUpdateResult` and the nodes to blame. Nodes
/// correspond by their order.
fn merge(old: &Body, new: &Body) -> Result<Body, (u32, u64, u64)> {
    const TOPOLOGY: u32 = 2;
    const TYPE: u32 = 3;
    const PARAMETERS: u32 = 5;
    const ATTRIBUTES: u32 = 8;
    if old.nodes.len() != new.nodes.len() {
        let extra = new.nodes.get(old.nodes.len()).map_or(0, |node| node.handle);
        return Err((TOPOLOGY, extra, 0));
    }
    let mut merged = old.clone();
    for (at, with) in new.nodes.iter().enumerate() {
        let node = &mut merged.nodes[at];
        if node.kind != with.kind {
            return Err((TYPE, with.handle, 0));
        }
        let (mut before, mut after) = (old.edges(at).to_vec(), new.edges(at).to_vec());
        before.sort_unstable_by_key(|&(from, _)| from);
        after.sort_unstable_by_key(|&(from, _)| from);
        if before != after {
            let odd = after
                .iter()
                .find(|edge| !before.contains(edge))
                .map_or(0, |&(from, _)| new.nodes[from as usize].handle);
            return Err((TOPOLOGY, with.handle, odd));
        }
        match (&node.work, &with.work) {
            (Work::Conditional(old), Work::Conditional(new)) => {
                if old.kind != new.kind || old.bodies.len() != new.bodies.len() {
                    return Err((PARAMETERS, with.handle, 0));
                }
                let bodies = old.bodies.iter().zip(&new.bodies);
                let bodies = bodies.map(|(old, new)| merge(old, new).map(Arc::new)).collect::<Result<_, _>>()?;
                let (handle, kind) = (old.handle, old.kind);
                node.work = Work::Conditional(Arc::new(super::body::Conditional { handle, kind, bodies }));
            }
            (Work::Graph(old), Work::Graph(new)) => node.work = Work::Graph(Arc::new(merge(old, new)?)),
            (Work::Kernel(old), Work::Kernel(new)) if old.cooperative != new.cooperative => {
                return Err((ATTRIBUTES, with.handle, 0));
            }
            _ => replace(node, with.work.clone()).map_err(|_| (PARAMETERS, with.handle, 0))?,
        }
    }
    Ok(merged)
}
