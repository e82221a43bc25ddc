//! What a graph is made into to be run: nodes in an order in which each comes behind those that it waits for, with everything checked,
//! compiled and packed that can be before a launch. A body never changes; an update makes a new one that shares what is the same.

use super::description::Graphs;
use super::params::{AllocNode, ConditionalKind, HostNode, KernelNode, NodeParams, NodeType};
use crate::checking::Stack;
use crate::copy::{Copy3d, Fill3d};
use crate::device::{Device, Event, Workspace};
use crate::engine::{Checked, Grid, Shape, State};
use crate::status::Status;
use hotfire_launch::GraphEdge;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A kernel, ready to be launched.
pub(crate) struct Kernel {
    device: &'static Device,
    pub checked: Checked,
    /// Address of its parameter block; 0 for none.
    parameters: u64,
    pub cooperative: bool,
    /// It has the attribute of stream serialisation.
    pub asked: bool,
    /// Its grid of an earlier launch, to be used again.
    idle: Mutex<Option<Arc<Grid>>>,
}

impl Kernel {
    pub fn new(device: &'static Device, node: &KernelNode) -> Result<Arc<Self>, Status> {
        let checked =
            device.check_launch(&node.function, node.grid, node.block, node.dynamic_shared, &node.attributes)?;
        let bytes = node.arguments.bytes();
        let parameters = device.parameter_block(bytes)?;
        Ok(Arc::new(Self {
            device,
            checked,
            parameters,
            cooperative: node.attributes.cooperative,
            asked: node.attributes.programmatic_serialization,
            idle: Mutex::new(None),
        }))
    }

    /// The shape of its launches.
    pub fn shape(&self) -> Shape {
        self.checked.shape
    }

    /// A grid for one launch; `gridid` if it was given out before.
    pub fn grid(&self, state: &State, gridid: Option<u64>) -> Result<Arc<Grid>, Status> {
        // Checked grids keep more than can be taken back.
        if self.device.checking.is_none() && !self.cooperative {
            let mut idle = self.idle.lock();
            if let Some(grid) = idle.as_mut().and_then(Arc::get_mut)
                && grid.renew(&state.cancel)
            {
                return Ok(idle.clone().expect("looked at above"));
            }
            let grid = self.fresh(state, None, None);
            *idle = Some(grid.clone());
            return Ok(grid);
        }
        let workspace = if self.cooperative { Some(Workspace::new(self.device)?) } else { None };
        Ok(self.fresh(state, gridid, workspace))
    }

    fn fresh(&self, state: &State, gridid: Option<u64>, workspace: Option<Workspace>) -> Arc<Grid> {
        let gridid = gridid.unwrap_or_else(|| self.device.next_grid_id());
        Grid::of_node(self.device, self.checked.clone(), self.parameters, state.cancel.clone(), gridid, workspace)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        if self.parameters != 0 {
            let _ = self.device.memory().free(self.parameters);
        }
    }
}

/// A conditional node.
pub(crate) struct Conditional {
    pub handle: u64,
    pub kind: ConditionalKind,
    pub bodies: Vec<Arc<Body>>,
}

/// What a node does when its turn comes.
#[derive(Clone)]
pub(crate) enum Work {
    Kernel(Arc<Kernel>),
    Copy(Copy3d),
    Fill(Fill3d),
    Host(HostNode),
    Graph(Arc<Body>),
    Nothing,
    Wait(Event),
    Record(Event),
    Alloc(AllocNode),
    Free(u64),
    Conditional(Arc<Conditional>),
}

/// A node.
#[derive(Clone)]
pub(crate) struct BodyNode {
    /// The node of the description.
    pub handle: u64,
    /// Its number there, in order of addition.
    pub number: u32,
    pub kind: NodeType,
    pub work: Work,
    /// Switched off, it only orders.
    pub enabled: bool,
    /// Some node waits for the begin of its blocks.
    pub announces: bool,
    pub stack: Option<Stack>,
}

/// Nodes and edges.
#[derive(Clone, Default)]
pub(crate) struct Body {
    pub nodes: Vec<BodyNode>,
    /// Where in `edges` those of each node begin; one more at the end.
    first: Vec<u32>,
    edges: Vec<(u32, GraphEdge)>,
}

/// Why a graph cannot be instantiated: the error, `cudaGraphInstantiateResult`, and the node if one is to blame.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    /// What the call answers.
    pub status: Status,
    /// `cudaGraphInstantiateResult`
    pub result: u32,
    /// The node that is to blame; 0 for none.
    pub node: u64,
}

impl Body {
    /// Prepares all nodes of a graph, and of those nested in it.
    pub fn new(device: &'static Device, graphs: &Graphs, graph: u64) -> Result<Arc<Self>, Refusal> {
        let refuse = |status, result, node| Refusal { status, result, node };
        let graph = graphs.graph(graph).map_err(|status| refuse(status, 1, 0))?;
        let order = graph.sorted().ok_or(refuse(Status::INVALID_VALUE, 2, 0))?;
        let mut places = vec![0u32; graph.nodes.len()];
        let mut body = Self::default();
        for (place, &at) in order.iter().enumerate() {
            places[at] = place as u32;
            let node = &graph.nodes[at];
            body.first.push(body.edges.len() as u32);
            for &(from, data) in &node.dependencies {
                let from = graph.position(from).ok_or(refuse(Status::INVALID_VALUE, 2, node.handle))?;
                let edge = data.edge();
                if matches!(edge, GraphEdge::LaunchCompletion | GraphEdge::ProgrammaticAtBegin) {
                    body.nodes[places[from] as usize].announces = true;
                }
                body.edges.push((places[from], edge));
            }
            let work = Self::work(device, graphs, &node.params).map_err(|refusal| match refusal.node {
                0 => Refusal { node: node.handle, ..refusal },
                _ => refusal,
            })?;
            body.nodes.push(BodyNode {
                handle: node.handle,
                number: at as u32,
                kind: node.params.node_type(),
                work,
                enabled: true,
                announces: false,
                stack: node.stack.clone(),
            });
        }
        body.first.push(body.edges.len() as u32);
        Ok(Arc::new(body))
    }

    /// What a node with these parameters does.
    pub fn work(device: &'static Device, graphs: &Graphs, params: &NodeParams) -> Result<Work, Refusal> {
        let failed = |status| Refusal { status, result: 1, node: 0 };
        Ok(match params {
            NodeParams::Kernel(node) => Work::Kernel(Kernel::new(device, node).map_err(failed)?),
            NodeParams::Memcpy(copy, _) if copy.width == 0 || copy.height == 0 || copy.depth == 0 => Work::Nothing,
            NodeParams::Memcpy(copy, direction) => {
                device.check_copy(copy, *direction).map_err(failed)?;
                Work::Copy(*copy)
            }
            NodeParams::Memset(fill) if fill.width == 0 || fill.height == 0 || fill.depth == 0 => Work::Nothing,
            NodeParams::Memset(fill) => {
                device.check_device_fill(fill).map_err(failed)?;
                Work::Fill(*fill)
            }
            NodeParams::Host(node) => Work::Host(*node),
            NodeParams::Graph(child) => Work::Graph(Self::new(device, graphs, *child)?),
            NodeParams::Empty => Work::Nothing,
            NodeParams::WaitEvent(event) => Work::Wait(*event),
            NodeParams::EventRecord(event) => Work::Record(*event),
            NodeParams::MemAlloc(node) => Work::Alloc(*node),
            NodeParams::MemFree(address) => Work::Free(*address),
            NodeParams::Conditional(node) => {
                let bodies = node.bodies.iter().map(|&body| Self::new(device, graphs, body));
                let bodies = bodies.collect::<Result<_, _>>()?;
                Work::Conditional(Arc::new(Conditional { handle: node.handle, kind: node.kind, bodies }))
            }
        })
    }

    /// What a node waits for: earlier nodes, by their place.
    pub fn edges(&self, node: usize) -> &[(u32, GraphEdge)] {
        &self.edges[self.first[node] as usize..self.first[node + 1] as usize]
    }

    /// All nodes, those nested included, for which `accept` holds.
    pub fn find<'a>(&'a self, accept: &dyn Fn(&BodyNode) -> bool, found: &mut Vec<&'a BodyNode>) {
        for node in &self.nodes {
            if accept(node) {
                found.push(node);
            }
            match &node.work {
                Work::Graph(body) => body.find(accept, found),
                Work::Conditional(conditional) => {
                    conditional.bodies.iter().for_each(|body| body.find(accept, found));
                }
                _ => {}
            }
        }
    }

    /// Changes a node, wherever it is; `None` if it is not there. What is shared with others is copied first.
    pub fn change<R>(&mut self, handle: u64, change: &mut dyn FnMut(&mut BodyNode) -> R) -> Option<R> {
        for at in 0..self.nodes.len() {
            if self.nodes[at].handle == handle {
                return Some(change(&mut self.nodes[at]));
            }
            match &mut self.nodes[at].work {
                Work::Graph(body) => {
                    if let Some(result) = Arc::make_mut(body).change(handle, change) {
                        return Some(result);
                    }
                }
                Work::Conditional(conditional) => {
                    let mut bodies = conditional.bodies.clone();
                    let found = bodies.iter_mut().find_map(|body| Arc::make_mut(body).change(handle, change));
                    if found.is_some() {
                        let (handle, kind) = (conditional.handle, conditional.kind);
                        *conditional = Arc::new(Conditional { handle, kind, bodies });
                        return found;
                    }
                }
                _ => {}
            }
        }
        None
    }
}

impl Grid {
    /// Whether some node waits for the begin of its blocks.
    pub(super) fn set_announces(&self, announces: bool) {
        self.announces.store(announces, Ordering::Relaxed);
    }
}
