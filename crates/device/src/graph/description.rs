//! Graphs as programs build them: nodes and edges, changed at will, run by nobody (CUDA guide, "Graph structure").
//!
//! Handles are numbers that are never used twice. A graph is found by its handle, a node by the graph that holds it.

use super::params::{ConditionalNode, EdgeData, Node, NodeParams, NodeType};
use super::{Exec, capture::Captures, objects::Objects};
use crate::checking::Stack;
use crate::device::Device;
use crate::status::Status;
use std::collections::HashMap;
use std::sync::Arc;

/// A graph.
#[derive(Default)]
pub(crate) struct Graph {
    pub nodes: Vec<Node>,
    /// Where in `nodes` a node is.
    positions: HashMap<u64, usize>,
    /// The node that it belongs to, as a child graph or a body; 0 for none.
    pub owner: u64,
    /// References to user objects that it holds.
    pub objects: Vec<(u64, u32)>,
    /// The graph that it is a clone of; 0 for none.
    original: u64,
}

impl Graph {
    pub fn position(&self, node: u64) -> Option<usize> {
        self.positions.get(&node).copied()
    }

    pub fn node(&self, node: u64) -> Result<&Node, Status> {
        self.position(node).map(|at| &self.nodes[at]).ok_or(Status::INVALID_VALUE)
    }

    fn node_mut(&mut self, node: u64) -> Result<&mut Node, Status> {
        let at = self.position(node).ok_or(Status::INVALID_VALUE)?;
        Ok(&mut self.nodes[at])
    }

    fn push(&mut self, node: Node) {
        self.positions.insert(node.handle, self.nodes.len());
        self.nodes.push(node);
    }

    /// Positions of the nodes in an order in which each comes behind those that it waits for; of those that may come next, the one that was
    /// added first. `None` if there is a circle.
    pub fn sorted(&self) -> Option<Vec<usize>> {
        let mut waiting: Vec<usize> = self.nodes.iter().map(|node| node.dependencies.len()).collect();
        let mut behind: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            for (from, _) in &node.dependencies {
                behind[self.position(*from)?].push(at);
            }
        }
        let mut next: std::collections::BinaryHeap<_> =
            (0..self.nodes.len()).filter(|&at| waiting[at] == 0).map(std::cmp::Reverse).collect();
        let mut order = Vec::with_capacity(self.nodes.len());
        while let Some(std::cmp::Reverse(at)) = next.pop() {
            order.push(at);
            for &to in &behind[at] {
                waiting[to] -= 1;
                if waiting[to] == 0 {
                    next.push(std::cmp::Reverse(to));
                }
            }
        }
        (order.len() == self.nodes.len()).then_some(order)
    }
}

/// All graphs of a device, what was made of them, and the captures that are under way.
#[derive(Default)]
pub(crate) struct Graphs {
    last: u64,
    pub graphs: HashMap<u64, Graph>,
    /// The graph that holds a node.
    pub holders: HashMap<u64, u64>,
    pub execs: HashMap<u64, Arc<Exec>>,
    pub captures: Captures,
    pub objects: Objects,
    /// Values that kernels set: the graph of a handle, its default and its flags.
    pub conditions: HashMap<u64, Condition>,
}

/// A handle of `cudaGraphConditionalHandleCreate`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    pub graph: u64,
    pub default: u32,
    /// Each launch begins with the default.
    pub assigned: bool,
    /// The node that it decides; 0 for none yet.
    pub node: u64,
}

impl Graphs {
    /// A handle that no other object has.
    pub fn handle(&mut self) -> u64 {
        const FIRST: u64 = 0x4f47_0000_0000_0000;
        self.last += 16;
        FIRST + self.last
    }

    pub fn create(&mut self) -> u64 {
        let handle = self.handle();
        self.graphs.insert(handle, Graph::default());
        handle
    }

    pub fn graph(&self, graph: u64) -> Result<&Graph, Status> {
        self.graphs.get(&graph).ok_or(Status::INVALID_VALUE)
    }

    pub fn graph_mut(&mut self, graph: u64) -> Result<&mut Graph, Status> {
        self.graphs.get_mut(&graph).ok_or(Status::INVALID_VALUE)
    }

    pub fn node(&self, node: u64) -> Result<&Node, Status> {
        self.graph(*self.holders.get(&node).ok_or(Status::INVALID_VALUE)?)?.node(node)
    }

    fn node_mut(&mut self, node: u64) -> Result<&mut Node, Status> {
        let graph = *self.holders.get(&node).ok_or(Status::INVALID_VALUE)?;
        self.graph_mut(graph)?.node_mut(node)
    }

    /// The graph within which a graph is nested; itself if it is not.
    pub fn outermost(&self, mut graph: u64) -> u64 {
        while let Some(found) = self.graphs.get(&graph)
            && let Some(&holder) = self.holders.get(&found.owner)
        {
            graph = holder;
        }
        graph
    }

    /// Adds a node behind others.
    pub fn add(
        &mut self,
        graph: u64,
        dependencies: &[(u64, EdgeData)],
        mut params: NodeParams,
        stack: Option<Stack>,
    ) -> Result<u64, Status> {
        let kind = params.node_type();
        let holder = self.graph(graph)?;
        for (index, &(from, data)) in dependencies.iter().enumerate() {
            data.check(holder.node(from)?.params.node_type(), kind)?;
            if dependencies[..index].iter().any(|&(other, _)| other == from) {
                return Err(Status::INVALID_VALUE);
            }
        }
        let handle = self.handle();
        match &mut params {
            NodeParams::Graph(child) => *child = self.nest(*child, handle, graph)?,
            NodeParams::Conditional(node) => self.add_bodies(graph, handle, node)?,
            _ => {}
        }
        let node = Node { handle, original: 0, params, dependencies: dependencies.to_vec(), stack };
        self.graph_mut(graph)?.push(node);
        self.holders.insert(handle, graph);
        Ok(handle)
    }

    /// A copy of a graph that belongs to a node.
    fn nest(&mut self, child: u64, node: u64, graph: u64) -> Result<u64, Status> {
        self.graph(child)?;
        if self.outermost(graph) == child {
            return Err(Status::INVALID_VALUE);
        }
        // An address belongs to one graph [h200].
        if self.holds(child, |kind| matches!(kind, NodeType::MemAlloc | NodeType::MemFree))? {
            return Err(Status::NOT_SUPPORTED);
        }
        let copy = self.copy(child)?;
        self.graph_mut(copy)?.owner = node;
        Ok(copy)
    }

    fn add_bodies(&mut self, graph: u64, handle: u64, node: &mut ConditionalNode) -> Result<(), Status> {
        let outermost = self.outermost(graph);
        let condition = self.conditions.get_mut(&node.handle).ok_or(Status::INVALID_VALUE)?;
        // A handle belongs to one node of its graph, or of a graph nested in it.
        if condition.node != 0 || (condition.graph != graph && condition.graph != outermost) {
            return Err(Status::INVALID_VALUE);
        }
        condition.node = handle;
        for _ in 0..node.size {
            let body = self.create();
            let entry = self.graph_mut(body)?;
            entry.owner = handle;
            node.bodies.push(body);
        }
        Ok(())
    }

    /// A copy of a graph, with copies of all that its nodes own.
    pub fn copy(&mut self, graph: u64) -> Result<u64, Status> {
        let source = self.graph(graph)?;
        let nodes = source.nodes.clone();
        let objects = source.objects.clone();
        let copy = self.create();
        let mut handles = HashMap::new();
        for node in &nodes {
            handles.insert(node.handle, self.handle());
        }
        for mut node in nodes {
            node.original = node.handle;
            node.handle = handles[&node.original];
            for (from, _) in &mut node.dependencies {
                *from = handles[from];
            }
            match &mut node.params {
                NodeParams::Graph(child) => {
                    *child = self.copy(*child)?;
                    self.graph_mut(*child)?.owner = node.handle;
                }
                NodeParams::Conditional(conditional) => {
                    for body in &mut conditional.bodies {
                        *body = self.copy(*body)?;
                        self.graph_mut(*body)?.owner = node.handle;
                    }
                }
                _ => {}
            }
            self.holders.insert(node.handle, copy);
            self.graph_mut(copy)?.push(node);
        }
        for &(object, count) in &objects {
            self.objects.retain(object, count)?;
        }
        let entry = self.graph_mut(copy)?;
        (entry.objects, entry.original) = (objects, graph);
        Ok(copy)
    }

    /// Takes a graph out of the world, with all that its nodes own.
    pub fn destroy(&mut self, graph: u64, device: &Device) -> Result<(), Status> {
        let graph = self.graphs.remove(&graph).ok_or(Status::INVALID_VALUE)?;
        for node in graph.nodes {
            self.holders.remove(&node.handle);
            self.disown(&node.params, device);
        }
        for (object, count) in graph.objects {
            self.objects.release(object, count)?;
        }
        Ok(())
    }

    fn disown(&mut self, params: &NodeParams, device: &Device) {
        match params {
            NodeParams::Graph(child) => _ = self.destroy(*child, device),
            NodeParams::Conditional(node) => {
                for &body in &node.bodies {
                    let _ = self.destroy(body, device);
                }
            }
            NodeParams::MemAlloc(node) => device.graph_memory.unreserve(device, node.address),
            _ => {}
        }
    }

    fn destroy_node(&mut self, node: u64, device: &Device) -> Result<(), Status> {
        let holder = self.holders.remove(&node).ok_or(Status::INVALID_VALUE)?;
        let graph = self.graph_mut(holder)?;
        let at = graph.positions.remove(&node).ok_or(Status::INVALID_VALUE)?;
        let gone = graph.nodes.remove(at);
        for (index, node) in graph.nodes.iter_mut().enumerate() {
            graph.positions.insert(node.handle, index);
            node.dependencies.retain(|&(from, _)| from != gone.handle);
        }
        self.disown(&gone.params, device);
        Ok(())
    }
}

impl Device {
    /// `cudaGraphCreate`.
    pub fn graph_create(&self) -> u64 {
        self.graphs.lock().create()
    }

    /// `cudaGraphDestroy`: what was instantiated from it lives on.
    ///
    /// # Errors
    /// 1 for a handle that is none, or of a graph that belongs to a node.
    pub fn graph_destroy(&self, graph: u64) -> Result<(), Status> {
        let mut graphs = self.graphs.lock();
        if graphs.graph(graph)?.owner != 0 {
            return Err(Status::INVALID_VALUE);
        }
        graphs.destroy(graph, self)?;
        graphs.objects.run()
    }

    /// `cudaGraphAddNode` and its relatives: the handle of the new node.
    ///
    /// # Errors
    /// 1 for handles, edges or parameters that are wrong; 801 for what a body of a conditional node may not hold.
    pub fn graph_add(
        &'static self,
        graph: u64,
        dependencies: &[(u64, EdgeData)],
        mut params: NodeParams,
    ) -> Result<u64, Status> {
        self.check_node(&params)?;
        self.graphs.lock().graph(graph)?;
        if let NodeParams::MemAlloc(node) = &mut params {
            node.address = self.graph_memory.reserve(self, node.bytes)?;
        }
        let stack = self.checking.as_ref().map(|_| Stack::here());
        let reserved = match &params {
            NodeParams::MemAlloc(node) => node.address,
            _ => 0,
        };
        let added = self.graphs.lock().add(graph, dependencies, params, stack);
        if added.is_err() && reserved != 0 {
            self.graph_memory.unreserve(self, reserved);
        }
        added
    }

    /// `cudaGraphConditionalHandleCreate`.
    ///
    /// # Errors
    /// 1 for a handle that is none.
    pub fn graph_condition(&self, graph: u64, default: u32, assigned: bool) -> Result<u64, Status> {
        let mut graphs = self.graphs.lock();
        graphs.graph(graph)?;
        let handle = graphs.handle();
        graphs.conditions.insert(handle, Condition { graph, default, assigned, node: 0 });
        Ok(handle)
    }

    /// `cudaGraphDestroyNode`.
    ///
    /// # Errors
    /// 1 for a handle that is none.
    pub fn graph_destroy_node(&self, node: u64) -> Result<(), Status> {
        self.graphs.lock().destroy_node(node, self)
    }

    /// `cudaGraphAddDependencies`.
    ///
    /// # Errors
    /// 1 for handles and edges that are wrong, or exist already; nothing is added then.
    pub fn graph_connect(&self, graph: u64, edges: &[(u64, u64, EdgeData)]) -> Result<(), Status> {
        let mut graphs = self.graphs.lock();
        let holder = graphs.graph_mut(graph)?;
        for (index, &(from, to, data)) in edges.iter().enumerate() {
            let behind = holder.node(to)?;
            data.check(holder.node(from)?.params.node_type(), behind.params.node_type())?;
            let same = |&(other, at, _): &(u64, u64, EdgeData)| (other, at) == (from, to);
            if from == to
                || behind.dependencies.iter().any(|&(other, _)| other == from)
                || edges[..index].iter().any(same)
            {
                return Err(Status::INVALID_VALUE);
            }
        }
        for &(from, to, data) in edges {
            holder.node_mut(to)?.dependencies.push((from, data));
        }
        Ok(())
    }

    /// `cudaGraphRemoveDependencies`.
    ///
    /// # Errors
    /// 1 for an edge that does not exist; nothing is removed then.
    pub fn graph_disconnect(&self, graph: u64, edges: &[(u64, u64, EdgeData)]) -> Result<(), Status> {
        let mut graphs = self.graphs.lock();
        let holder = graphs.graph_mut(graph)?;
        for &(from, to, data) in edges {
            if !holder.node(to)?.dependencies.contains(&(from, data)) {
                return Err(Status::INVALID_VALUE);
            }
        }
        for &(from, to, data) in edges {
            holder.node_mut(to)?.dependencies.retain(|&edge| edge != (from, data));
        }
        Ok(())
    }

    /// `cudaGraphGetNodes`.
    ///
    /// # Errors
    /// 1 for a handle that is none; so do all below.
    pub fn graph_nodes(&self, graph: u64) -> Result<Vec<u64>, Status> {
        Ok(self.graphs.lock().graph(graph)?.nodes.iter().map(|node| node.handle).collect())
    }

    /// `cudaGraphGetRootNodes`.
    ///
    /// # Errors
    /// 1
    pub fn graph_roots(&self, graph: u64) -> Result<Vec<u64>, Status> {
        let graphs = self.graphs.lock();
        let roots = graphs.graph(graph)?.nodes.iter().filter(|node| node.dependencies.is_empty());
        Ok(roots.map(|node| node.handle).collect())
    }

    /// `cudaGraphGetEdges`.
    ///
    /// # Errors
    /// 1
    pub fn graph_edges(&self, graph: u64) -> Result<Vec<(u64, u64, EdgeData)>, Status> {
        let graphs = self.graphs.lock();
        let nodes = graphs.graph(graph)?.nodes.iter();
        Ok(nodes.flat_map(|node| node.dependencies.iter().map(|&(from, data)| (from, node.handle, data))).collect())
    }

    /// `cudaGraphNodeGetDependencies`.
    ///
    /// # Errors
    /// 1
    pub fn graph_dependencies(&self, node: u64) -> Result<Vec<(u64, EdgeData)>, Status> {
        Ok(self.graphs.lock().node(node)?.dependencies.clone())
    }

    /// `cudaGraphNodeGetDependentNodes`.
    ///
    /// # Errors
    /// 1
    pub fn graph_dependents(&self, node: u64) -> Result<Vec<(u64, EdgeData)>, Status> {
        let graphs = self.graphs.lock();
        let holder = graphs.graph(*graphs.holders.get(&node).ok_or(Status::INVALID_VALUE)?)?;
        let edges = holder.nodes.iter().flat_map(|to| to.dependencies.iter().map(move |edge| (to.handle, edge)));
        Ok(edges.filter(|(_, (from, _))| *from == node).map(|(to, &(_, data))| (to, data)).collect())
    }

    /// What a node does.
    ///
    /// # Errors
    /// 1
    pub fn graph_node(&self, node: u64) -> Result<NodeParams, Status> {
        Ok(self.graphs.lock().node(node)?.params.clone())
    }

    /// `cudaGraphNodeSetParams` and its relatives: graphs that are instantiated from now on have it so.
    ///
    /// # Errors
    /// 1 for parameters of another type, or that are wrong.
    pub fn graph_set_node(&'static self, node: u64, params: NodeParams) -> Result<(), Status> {
        self.check_node(&params)?;
        let mut graphs = self.graphs.lock();
        let entry = graphs.node_mut(node)?;
        let fixed = matches!(entry.params.node_type(), NodeType::MemAlloc | NodeType::MemFree | NodeType::Conditional);
        if fixed || entry.params.node_type() != params.node_type() {
            return Err(Status::INVALID_VALUE);
        }
        if let NodeParams::Graph(child) = params {
            let holder = graphs.holders[&node];
            let copy = graphs.nest(child, node, holder)?;
            let old = std::mem::replace(&mut graphs.node_mut(node)?.params, NodeParams::Graph(copy));
            graphs.disown(&old, self);
            return Ok(());
        }
        entry.params = params;
        Ok(())
    }

    /// `cudaGraphClone`.
    ///
    /// # Errors
    /// 1; 801 for graphs with memory or conditional nodes, which stand for one address or value.
    pub fn graph_clone(&self, graph: u64) -> Result<u64, Status> {
        let mut graphs = self.graphs.lock();
        if graphs.holds(graph, |kind| matches!(kind, NodeType::MemAlloc | NodeType::MemFree | NodeType::Conditional))? {
            return Err(Status::NOT_SUPPORTED);
        }
        graphs.copy(graph)
    }

    /// `cudaGraphNodeFindInClone`.
    ///
    /// # Errors
    /// 1 if the graph is no clone of the one that holds the node, or the node's copy was destroyed.
    pub fn graph_find_in_clone(&self, original: u64, clone: u64) -> Result<u64, Status> {
        let graphs = self.graphs.lock();
        let found = graphs.graph(clone)?.nodes.iter().find(|node| node.original == original);
        found.map(|node| node.handle).ok_or(Status::INVALID_VALUE)
    }
}

impl Graphs {
    /// Is there a node of such a type in the graph, or in one that is nested in it?
    pub fn holds(&self, graph: u64, accept: impl Fn(NodeType) -> bool + Copy) -> Result<bool, Status> {
        for node in &self.graph(graph)?.nodes {
            if accept(node.params.node_type()) {
                return Ok(true);
            }
            let nested: &[u64] = match &node.params {
                NodeParams::Graph(child) => std::slice::from_ref(child),
                NodeParams::Conditional(conditional) => &conditional.bodies,
                _ => &[],
            };
            for &graph in nested {
                if self.holds(graph, accept)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
