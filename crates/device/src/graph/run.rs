//! Launches of executable graphs: one item of a stream, which becomes the items of its nodes when it starts (launch-model 5).
//!
//! A worker carries out the item like an operation: it adds the nodes within it, in portions, so that the first ones run while the last ones are
//! added. Child graphs and bodies of conditional nodes become nodes in the same way when their turn comes.

use super::body::{Body, BodyNode, Conditional, Work};
use super::exec::Exec;
use super::params::ConditionalKind;
use crate::device::{Device, Event, Stream};
use crate::engine::{Operation, State};
use crate::status::Status;
use hotfire_launch::order::{Facts, ItemId, NO_ITEM};
use hotfire_launch::{GraphEdge, Item, Work as Kind};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Nodes that are added under one lock.
const PORTION: usize = 64;

/// What a node is to the checker: the item, and the number of its grid or operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name {
    pub id: ItemId,
    pub number: u64,
}

/// One launch.
pub(crate) struct Run {
    pub exec: Arc<Exec>,
    /// What it runs, whatever becomes of the executable graph.
    body: Arc<Body>,
    /// In a checked run, who its nodes are.
    names: Vec<Name>,
    /// Its number, to the checker, and the item that holds its nodes.
    pub launch: u32,
    id: ItemId,
    /// Nodes that record events, and what stands for that.
    records: Vec<(usize, Item)>,
    /// Nodes that wait for events, and for what.
    waits: Vec<(usize, Item)>,
    /// The item in which its siblings are, if device code launched it or may launch from it.
    pub environment: Mutex<Option<Item>>,
    /// The item of the launch, once it runs.
    pub item: Mutex<Option<Item>>,
    /// Fire-and-forget, sibling and tail launches by its kernels.
    pub fired: AtomicU32,
    pub siblings: AtomicU32,
    pub tails: AtomicU32,
}

/// Nodes that are to be added within an item.
pub(crate) struct Expansion {
    pub run: Arc<Run>,
    /// A child graph or the body of a conditional node; the launch itself without.
    body: Option<Arc<Body>>,
    /// Only siblings may be beside it: the launch proper is an item within this one.
    enveloped: bool,
}

impl Expansion {
    /// Of a whole launch.
    pub fn root(run: Arc<Run>, enveloped: bool) -> Self {
        Self { run, body: None, enveloped }
    }

    /// Whether it is a launch, not a part of one.
    pub fn is_launch(&self) -> bool {
        self.body.is_none() && !self.enveloped
    }

    /// It will not come to pass: what stands for events that it would have recorded is over.
    pub fn abandon(&self, state: &mut State) {
        if self.body.is_none() {
            self.run.records.iter().for_each(|&(_, marker)| state.model.release(marker));
        }
    }
}

/// Where nodes are added.
#[derive(Clone, Copy)]
struct Part<'a> {
    outer: Item,
    run: &'a Arc<Run>,
    body: &'a Body,
    /// Those that were added already.
    items: &'a [Item],
    /// It is the launch itself.
    root: bool,
}

/// A conditional node whose turn has come.
pub(crate) struct Decision {
    run: Arc<Run>,
    node: Arc<Conditional>,
    /// The item of the node, and how often its body has run.
    within: Option<Item>,
    rounds: u32,
}

impl Run {
    /// A launch that is about to be queued.
    pub fn new(exec: Arc<Exec>, body: Arc<Body>) -> Self {
        Self {
            exec,
            body,
            names: Vec::new(),
            launch: 0,
            id: NO_ITEM,
            records: Vec::new(),
            waits: Vec::new(),
            environment: Mutex::new(None),
            item: Mutex::new(None),
            fired: AtomicU32::new(0),
            siblings: AtomicU32::new(0),
            tails: AtomicU32::new(0),
        }
    }

    /// Tells who its nodes are.
    pub fn name(&mut self, launch: u32, id: ItemId, names: Vec<Name>) {
        (self.launch, self.id, self.names) = (launch, id, names);
    }

    /// What it runs.
    pub fn body(&self) -> &Arc<Body> {
        &self.body
    }
}

impl Device {
    /// `cudaGraphLaunch`.
    pub fn graph_launch(&'static self, exec: u64, stream: Stream) -> Status {
        self.start_graph(exec, stream).into()
    }

    fn start_graph(&'static self, exec: u64, stream: Stream) -> Result<(), Status> {
        let handle = self.resolve(stream);
        if let Some(captured) = self.capture_exec(handle, exec) {
            return captured;
        }
        self.healthy()?;
        let exec = self.graphs.lock().exec(exec)?;
        let body = exec.body.lock().clone();
        self.promise_memory(&exec, &body)?;
        exec.uploaded.store(true, Ordering::Relaxed);
        self.with(|state| {
            state.sticky.ok()?;
            let stream = state.stream(handle)?;
            let mut last = exec.last.lock();
            if let Some((_, facts)) = &*last {
                state.model.order.wait(stream, facts);
            }
            let item = state.model.submit(stream, Kind::Operation);
            let mut run = Run::new(exec.clone(), body);
            let mut id = NO_ITEM;
            let mut lines = Default::default();
            if let Some(checking) = &self.checking {
                checking.submitted_operation(state, item, "cudaGraphLaunch", handle);
                id = state.id(item);
                lines = checking.name_graph(self, id, &mut run, exec.is_for_device());
            }
            if let Some((before, _)) = *last {
                state.model.order_behind(item, before);
            }
            self.meet_events(state, &mut run, |node| match id {
                NO_ITEM => Facts::default(),
                _ => hotfire_launch::order::GraphLines::after(&lines, node),
            });
            let facts = state.model.order.end(stream);
            *last = Some((item, facts));
            let enveloped = exec.is_for_device();
            state.attach_operation(item, Operation::Graph(Expansion::root(Arc::new(run), enveloped)));
            if let Some(checking) = &self.checking {
                checking.queued(state, None);
            }
            Ok(())
        })
    }

    /// Events that nodes record, and for which nodes wait: as the host sees them when it launches.
    fn meet_events(&self, state: &mut State, run: &mut Run, after: impl Fn(usize) -> Facts) {
        let body = run.body.clone();
        for (at, node) in body.nodes.iter().enumerate() {
            match node.work {
                Work::Wait(event) => {
                    let item = state.events.get(event).and_then(|entry| entry.item);
                    run.waits.extend(item.map(|item| (at, item)));
                }
                Work::Record(event) if node.enabled => {
                    let marker = state.model.add_marker();
                    if let Some((slot, recording)) = state.events.record(event, marker, after(at)) {
                        state.attach_event(marker, slot, recording);
                    }
                    run.records.push((at, marker));
                }
                _ => {}
            }
        }
    }

    /// Memory that the launch allocates and frees, in the order of host calls.
    fn promise_memory(&self, exec: &Exec, body: &Body) -> Result<(), Status> {
        let promised = exec.kept.iter().any(|&address| self.graph_memory.is_promised(address));
        if promised && !exec.frees() {
            return Err(Status::INVALID_VALUE);
        }
        let mut found = Vec::new();
        body.find(&|node| matches!(node.work, Work::Free(_)), &mut found);
        let own = |address: u64| exec.values.is_empty() && exec.kept.contains(&address);
        for node in found {
            if let Work::Free(address) = node.work
                && !own(address)
            {
                self.graph_memory.promise(address, false);
            }
        }
        exec.kept.iter().for_each(|&address| self.graph_memory.promise(address, true));
        Ok(())
    }

    /// `cudaGraphUpload`: nothing is left to be done before a launch, but device code may launch it now.
    pub fn graph_upload(&'static self, exec: u64, stream: Stream) -> Status {
        let stream = self.resolve(stream);
        let uploaded = self.healthy().and_then(|()| {
            let exec = self.graphs.lock().exec(exec)?;
            self.engine.look(|state| state.stream(stream))?;
            exec.uploaded.store(true, Ordering::Relaxed);
            Ok(())
        });
        uploaded.into()
    }

    /// Adds the nodes of a graph within an item that runs.
    pub(crate) fn expand(&'static self, item: Item, expansion: &Expansion) {
        let run = &expansion.run;
        if expansion.enveloped {
            return self.with(|state| {
                *run.environment.lock() = Some(item);
                let inner = state.model.add_within(item, Kind::Operation);
                if run.id != NO_ITEM {
                    state.identify(inner, run.id);
                }
                state.attach_operation(inner, Operation::Graph(Expansion::root(run.clone(), false)));
                state.model.release(inner);
            });
        }
        let body = match &expansion.body {
            Some(body) => body,
            None => {
                *run.item.lock() = Some(item);
                run.exec.again.store(false, Ordering::Release);
                for value in run.exec.values.values().filter(|value| value.assigned) {
                    value.now.store(value.default, Ordering::Relaxed);
                }
                self.free_left(&run.exec);
                &run.body
            }
        };
        let named;
        let names = match (&self.checking, &expansion.body) {
            (None, _) => &[][..],
            (Some(_), None) if !run.names.is_empty() => &run.names,
            (Some(checking), _) => {
                let id = self.engine.look(|state| state.id(item));
                named = checking.name_body(self, id, run.launch, body).0;
                &named
            }
        };
        let root = expansion.body.is_none();
        let mut items: Vec<Item> = Vec::with_capacity(body.nodes.len());
        while items.len() < body.nodes.len() {
            let end = body.nodes.len().min(items.len() + PORTION);
            let added = self.with(|state| {
                if !state.sticky.is_success() {
                    expansion.abandon(state);
                    return false;
                }
                while items.len() < end {
                    let at = items.len();
                    let part = Part { outer: item, run, body, items: &items, root };
                    match self.add_node(state, &part, names.get(at).copied()) {
                        Ok(node) => items.push(node),
                        Err(status) => {
                            self.set_sticky(status);
                            state.fail(status);
                            return false;
                        }
                    }
                }
                true
            });
            if !added {
                return;
            }
        }
    }

    fn add_node(&'static self, state: &mut State, part: &Part, name: Option<Name>) -> Result<Item, Status> {
        let Part { outer, run, body, items, root } = *part;
        let at = items.len();
        let node = &body.nodes[at];
        let kind = match &node.work {
            Work::Kernel(_) if node.enabled => Some(Kind::Grid),
            _ if !node.enabled => None,
            Work::Nothing | Work::Wait(_) | Work::Record(_) => None,
            _ => Some(Kind::Operation),
        };
        let item = match kind {
            Some(kind) => state.model.add_within(outer, kind),
            None => state.model.add_marker_within(outer),
        };
        for &(from, edge) in body.edges(at) {
            state.model.connect_nodes(items[from as usize], item, edge);
        }
        if let Some(name) = name.filter(|_| kind.is_some()) {
            state.identify(item, name.id);
        }
        match (&node.work, kind) {
            (Work::Kernel(kernel), Some(_)) => {
                let grid = kernel.grid(state, name.map(|name| name.number))?;
                grid.set_announces(node.announces);
                let current = if run.exec.is_for_device() { run.exec.handle } else { 0 };
                grid.set_graph(*run.item.lock(), current);
                if let Some(name) = name {
                    grid.set_id(name.id);
                }
                state.attach_dependent(&grid, item);
                state.attach_grid(item, grid);
            }
            (Work::Wait(_), None) if root => {
                for &(_, event) in run.waits.iter().filter(|&&(node, _)| node == at) {
                    state.model.connect_nodes(event, item, GraphEdge::Full);
                }
            }
            (Work::Record(event), None) => self.record_in_graph(state, run, *event, at, item, root),
            (_, Some(_)) => {
                if let Some(operation) = self.operation_of(run, node) {
                    state.attach_operation(item, operation);
                }
            }
            _ => {}
        }
        state.model.release(item);
        Ok(item)
    }

    fn record_in_graph(&self, state: &mut State, run: &Run, event: Event, at: usize, item: Item, root: bool) {
        let known = run.records.iter().find(|&&(node, _)| root && node == at);
        if let Some(&(_, marker)) = known {
            state.model.connect_nodes(item, marker, GraphEdge::Full);
            state.model.release(marker);
        } else if let Some((slot, recording)) = state.events.record(event, item, Facts::default()) {
            state.attach_event(item, slot, recording);
        }
    }

    fn operation_of(&'static self, run: &Arc<Run>, node: &BodyNode) -> Option<Operation> {
        Some(match &node.work {
            Work::Copy(copy) => Operation::Copy(*copy),
            Work::Fill(fill) => Operation::Fill(*fill),
            Work::Host(host) => {
                self.start_host_thread();
                let host = *host;
                Operation::Host(Box::new(move || (host.function)(host.data as *mut std::ffi::c_void)))
            }
            Work::Graph(body) => {
                Operation::Graph(Expansion { run: run.clone(), body: Some(body.clone()), enveloped: false })
            }
            Work::Alloc(node) => Operation::GraphAlloc(node.address, run.launch),
            Work::Free(address) => Operation::GraphFree(*address),
            Work::Conditional(node) => {
                Operation::Decide(Decision { run: run.clone(), node: node.clone(), within: None, rounds: 0 })
            }
            Work::Kernel(_) | Work::Nothing | Work::Wait(_) | Work::Record(_) => return None,
        })
    }

    /// A conditional node's turn: runs the body that its value chooses, if any.
    pub(crate) fn decide(&'static self, item: Item, decision: &Decision) {
        let Decision { run, node, within, rounds } = decision;
        let value = run.exec.values.get(&node.handle).map_or(0, |value| value.now.load(Ordering::Relaxed));
        let chosen = match node.kind {
            ConditionalKind::If if value == 0 => 1,
            ConditionalKind::If => 0,
            ConditionalKind::While if value == 0 => return,
            ConditionalKind::While => 0,
            ConditionalKind::Switch => value as usize,
        };
        let Some(body) = node.bodies.get(chosen) else { return };
        let expansion = Expansion { run: run.clone(), body: Some(body.clone()), enveloped: false };
        if node.kind != ConditionalKind::While {
            return self.expand(item, &expansion);
        }
        let outer = within.unwrap_or(item);
        self.with(|state| {
            let round = state.model.add_within(outer, Kind::Operation);
            let outer_id = state.id(outer);
            if let Some(checking) = &self.checking {
                checking.name_round(state, round, outer_id, run.launch, rounds + 1);
            }
            state.attach_operation(round, Operation::Graph(expansion));
            let again = state.model.add_within(outer, Kind::Operation);
            state.model.connect_nodes(round, again, GraphEdge::Full);
            let next =
                Decision { run: run.clone(), node: node.clone(), within: Some(outer), rounds: rounds.wrapping_add(1) };
            state.attach_operation(again, Operation::Decide(next));
            state.model.release(round);
            state.model.release(again);
        });
    }

    /// What an earlier launch allocated and nobody freed goes, if the executable graph is made so.
    fn free_left(&self, exec: &Exec) {
        if exec.frees() {
            exec.kept.iter().for_each(|&address| self.free_of_graph(address, crate::checking::Origin::Load));
        }
    }
}
