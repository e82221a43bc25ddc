//! Launches of graphs, as the checker sees them: each node an item of its own, ordered by paths of edges (launch-model 5).

use super::grids::{Kind, Record};
use super::{Checking, OperationRecord, Origin, Queue, Stack, Who};
use crate::device::Device;
use crate::engine::State;
use crate::exec;
use crate::graph::{Body, Name, NodeType, Run, Work};
use hotfire_check::ItemLabel;
use hotfire_jit::abi::ThreadContext;
use hotfire_launch::Item;
use hotfire_launch::order::{Fact, Facts, GraphLines, ItemId, NO_ITEM, Place};

/// What a node that is no kernel is called in a finding.
fn call(kind: NodeType) -> &'static str {
    match kind {
        NodeType::Memcpy => "memcpy node",
        NodeType::Memset => "memset node",
        NodeType::Host => "host node",
        NodeType::MemAlloc => "memory allocation node",
        NodeType::MemFree => "memory free node",
        NodeType::Conditional => "conditional node",
        _ => "graph node",
    }
}

impl Checking {
    /// The host queued the launch of a graph: tells it who its nodes are; how they are ordered. `enveloped`: the launch proper is a part of
    /// what was queued.
    pub fn name_graph(&self, device: &Device, id: ItemId, run: &mut Run, enveloped: bool) -> GraphLines {
        let launch = self.number_graph(id);
        let inner = if enveloped { self.part(id, launch, 1) } else { id };
        let (names, lines) = self.name_body(device, inner, launch, run.body());
        run.name(launch, inner, names);
        lines
    }

    /// The number of the launch of a graph, which an operation stands for.
    pub fn number_graph(&self, id: ItemId) -> u32 {
        let number = match self.checker(|checker| checker.label(id)) {
            ItemLabel::Operation(number) => number,
            _ => 0,
        };
        let mut grids = self.grids.lock();
        grids.graphs.push(number);
        grids.graphs.len() as u32 - 1
    }

    /// Who the nodes of a body are, within the item that holds them.
    pub fn name_body(&self, device: &Device, id: ItemId, launch: u32, body: &Body) -> (Vec<Name>, GraphLines) {
        let mut lines = GraphLines::default();
        let mut names = Vec::with_capacity(body.nodes.len());
        let (parent, block, thread) = self.launcher_of_graph(launch);
        for (at, node) in body.nodes.iter().enumerate() {
            let kernel = match &node.work {
                Work::Kernel(kernel) if node.enabled => Some(kernel),
                _ => None,
            };
            let edges = body.edges(at).iter().map(|&(from, edge)| (from as usize, edge));
            let place = self.checker(|checker| lines.place(&mut checker.items, kernel.is_some(), edges));
            let queue = Queue::Node { node: node.number, launch };
            let stack = node.stack.clone().unwrap_or_default();
            let Some(kernel) = kernel else {
                let origin = Origin::Host(stack);
                let label = self.operation(OperationRecord { call: call(node.kind), queue, by: origin });
                let ItemLabel::Operation(number) = label else { continue };
                let id = self.checker(|checker| checker.submit_node(label, id, &place));
                names.push(Name { id, number });
                continue;
            };
            let gridid = device.next_grid_id();
            let (function, shape) = (&kernel.checked.function, kernel.shape());
            let kind = Kind {
                function: function.clone(),
                grid: shape.grid,
                block: shape.block,
                cluster: shape.cluster.unwrap_or([1; 3]),
                site: 0,
                stack,
            };
            let record = |kind| Record { kind, queue, parent, block, thread };
            self.grids.lock().launched(gridid, kind, record);
            let id = self.checker(|checker| checker.submit_node(ItemLabel::Grid(gridid), id, &place));
            self.may_overlap(function, gridid, place.front, id, kernel.asked);
            names.push(Name { id, number: gridid });
        }
        (names, lines)
    }

    /// The device thread that launched a graph: grid (0 for the host), block, thread.
    fn launcher_of_graph(&self, launch: u32) -> (u64, u64, u32) {
        let number = self.grids.lock().graphs.get(launch as usize).copied();
        let operations = self.operations.lock();
        match number.and_then(|number| operations.get(number as usize)).map(|record| &record.by) {
            Some(Origin::Device(who)) => (who.grid, who.block, who.thread),
            _ => (0, 0, 0),
        }
    }

    /// A round of a conditional node, which comes behind the round before.
    pub fn name_round(&self, state: &mut State, item: Item, outer: ItemId, launch: u32, round: u32) {
        if outer != NO_ITEM {
            state.identify(item, self.part(outer, launch, round));
        }
    }

    /// A part of a launch that holds nodes; those with the same `outer` come one behind the other.
    fn part(&self, outer: ItemId, launch: u32, position: u32) -> ItemId {
        let number = self.grids.lock().graphs.get(launch as usize).copied().unwrap_or(0);
        let mut rounds = self.rounds.lock();
        self.checker(|checker| {
            let chain = *rounds.entry(outer).or_insert_with(|| checker.items.chain());
            let mut behind = Facts::default();
            if position > 1 {
                behind.learn(Fact { chain, position: position - 1 });
            }
            let complete = Some(Fact { chain, position });
            let place = Place { in_order: behind.clone(), behind, complete, ..Place::default() };
            checker.submit_node(ItemLabel::Operation(number), outer, &place)
        })
    }

    /// A kernel of a graph launched another one: who it is, within what it is complete, and behind what it starts.
    ///
    /// # Safety
    /// `context` is what generated code passed.
    pub unsafe fn device_graph(
        &self,
        state: &mut State,
        item: Item,
        context: *mut ThreadContext,
        (inner, outer): (ItemId, ItemId),
        tail: bool,
        run: &mut Run,
    ) {
        // SAFETY: the caller's promise.
        let (Some(order), caller, who) = (unsafe { (exec::order(context), exec::caller(context), Who::of(context)) })
        else {
            return;
        };
        let queue = if tail { Queue::Tail } else { Queue::FireAndForget };
        let label = self.operation(OperationRecord { call: "cudaGraphLaunch", queue, by: Origin::Device(who) });
        let (id, time) = self.checker(|checker| checker.device_graph(order, caller, inner, tail, label));
        self.checker(|checker| checker.belongs(id, outer));
        state.identify(item, id);
        run.name(self.number_graph(id), id, Vec::new());
        // SAFETY: as above.
        unsafe { (*context).segment = time };
    }

    /// Where a launch of a graph was called, and into what.
    pub(super) fn graph_launch(&self, launch: u32) -> Option<OperationRecord> {
        let number = self.grids.lock().graphs.get(launch as usize).copied()?;
        self.operations.lock().get(number as usize).cloned()
    }
}

impl Device {
    /// Who launched a graph.
    pub(crate) fn origin_of_graph(&self, launch: u32) -> Origin {
        let record = self.checking.as_ref().and_then(|checking| checking.graph_launch(launch));
        record.map_or_else(|| Origin::Host(Stack::default()), |record| record.by)
    }
}
