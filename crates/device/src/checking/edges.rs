//! What a race's finding says in words: what happened, which edge is missing, what to add.

use super::name::Relation;
use super::problems::Side;
use super::{Checking, Origin};
use hotfire_check::{Access, Action, Checker, ItemLabel, Thread};
use hotfire_launch::order::ItemId;

fn who(side: &Access) -> String {
    match &side.thread {
        Thread::Device { kernel, grid, .. } => format!("`{kernel}` (grid {grid})"),
        Thread::Host => "host code".into(),
        Thread::HostFunction => "a host function".into(),
        Thread::Operation { call } => format!("`{call}`"),
    }
}

fn in_shared_memory(side: &Access) -> bool {
    side.bytes.as_ref().is_some_and(|bytes| bytes.allocation == super::allocations::SHARED_MEMORY)
}

fn does(action: Action) -> &'static str {
    match action {
        Action::Read | Action::CopyFrom => "reads",
        Action::Atomic => "atomically changes",
        _ => "writes",
    }
}

/// One sentence.
pub(crate) fn message(sides: &[Access; 2], relation: Relation) -> String {
    let [now, before] = sides;
    let what = now.bytes.as_ref().map_or("memory".into(), |bytes| bytes.allocation.clone());
    let (now_does, before_does) = (does(now.action), does(before.action));
    match relation {
        Relation::Block { .. } | Relation::Grid => {
            let scope = if matches!(relation, Relation::Grid) { "blocks" } else { "threads of a block" };
            format!(
                "two {scope} of {} access {what} without an order: one {now_does} it, one {before_does} it",
                who(now)
            )
        }
        _ => format!("{} {now_does} {what}, which {} {before_does} without an order", who(now), who(before)),
    }
}

type Advice = (&'static str, &'static [&'static str]);

impl Checking {
    /// The missing edge, and what to add. Both pairs: what came later first.
    pub(super) fn advice(
        &self,
        checker: &Checker,
        relation: Relation,
        [now, before]: [Side; 2],
        accesses: &[Access; 2],
    ) -> (String, Vec<String>) {
        let (edge, help): Advice = match relation {
            Relation::Block { warp: true } => (
                "no barrier orders the two lanes: lanes of a warp are not in lockstep",
                &["`__syncwarp();` between the two accesses (`__syncthreads();` if other warps take part)"],
            ),
            Relation::Block { warp: false } => {
                ("no barrier orders the two threads", &["`__syncthreads();` between the two accesses"])
            }
            // The memory of one of them: only a cluster gets there.
            Relation::Grid if accesses.iter().all(in_shared_memory) => (
                "the blocks of the cluster did not meet between the two accesses",
                &[
                    "`cluster.sync();` between the two accesses (barrier.cluster.arrive.release, then barrier.cluster.wait.acquire)",
                    "or an mbarrier in shared memory that one arrives at and the other waits for, at cluster scope",
                ],
            ),
            Relation::Grid => (
                "nothing orders two blocks of one grid but atomics with fences, or grid.sync() of a cooperative launch",
                &[
                    "`__threadfence();` behind the writes and before the reads, with an atomic flag or ticket between",
                    "or make it atomic, give each block its own place, or split the kernel in two launches",
                ],
            ),
            Relation::Host if accesses.iter().any(|side| side.thread == Thread::HostFunction) => (
                "the host function is in a stream that nothing orders with the grid or copy",
                &[
                    "`cudaEventRecord(event, first);` then `cudaStreamWaitEvent(second, event);` before the later one is queued",
                    "or queue both in one stream",
                ],
            ),
            Relation::Host => (
                "the host did not synchronise with the grid or copy before it touched the memory",
                &[
                    "`cudaStreamSynchronize(stream);` (or `cudaDeviceSynchronize();`, an event) before the host's access",
                ],
            ),
            Relation::Ancestor { ancestor, child } => return self.parent_child(checker, ancestor, child, now, before),
            Relation::Early { .. } => return (String::new(), Vec::new()),
            Relation::Tail => tail(self.launcher(checker, now.agent.item), self.launcher(checker, before.agent.item)),
            Relation::Sibling { .. } => (
                "the two grids were launched into streams that nothing orders",
                &[
                    "launch both, in order, from one thread into one stream",
                    "or launch the second one into `cudaStreamTailLaunch`",
                ],
            ),
            Relation::Stream if checker.share_graph(now.agent.item, before.agent.item) => (
                "no path of edges in the graph leads from one of the two nodes to the other",
                &[
                    "`cudaGraphAddDependencies(graph, &first, &second, nullptr, 1);`",
                    "or, in a capture, an event recorded behind the first one, for which the stream of the second one waits before it",
                ],
            ),
            Relation::Stream => (
                "the two are in streams that no event, and not the legacy default stream, orders",
                &["`cudaEventRecord(event, first);` then `cudaStreamWaitEvent(second, event);`, or use one stream"],
            ),
        };
        (edge.into(), help.iter().map(|&line| line.into()).collect())
    }

    /// Block and thread that launched an item, if a device thread did.
    fn launcher(&self, checker: &Checker, item: ItemId) -> Option<(u64, u32)> {
        match checker.label(item) {
            ItemLabel::Grid(grid) => self.grids.lock().get(grid).map(|(record, _)| (record.block, record.thread)),
            ItemLabel::Operation(number) => match self.operations.lock().get(number as usize)?.by {
                Origin::Device(who) => Some((who.block, who.thread)),
                _ => None,
            },
            ItemLabel::Host => None,
        }
    }

    fn parent_child(
        &self,
        checker: &Checker,
        ancestor: ItemId,
        child: ItemId,
        now: Side,
        before: Side,
    ) -> (String, Vec<String>) {
        let (parent, other) = if now.agent.item == ancestor { (now, before) } else { (before, now) };
        let launched_by = match checker.label(other.agent.item) {
            ItemLabel::Grid(_) => "the launch",
            _ => "the call",
        };
        if other.write && !parent.write {
            return (
                "a grid never sees what its children write: nothing orders it behind them".into(),
                vec![
                    "read it in a kernel launched into `cudaStreamTailLaunch`, or after the parent in its stream"
                        .into(),
                ],
            );
        }
        let by = (u64::from(parent.agent.block), u32::from(parent.agent.thread));
        if self.launcher(checker, child) == Some(by) {
            return (
                format!(
                    "{launched_by} hands on what its thread did before it; the parent's access comes behind it, and the \
                     child may run at once"
                ),
                vec![
                    format!("move the parent's access before {launched_by}"),
                    "or into a kernel launched into `cudaStreamTailLaunch`, which runs after the child".into(),
                ],
            );
        }
        (
            format!(
                "{launched_by} hands on only what the launching thread sees then; the other access is not ordered before it"
            ),
            vec![
                format!(
                    "`__syncthreads();` before {launched_by} (`__syncwarp();` if only its warp takes part; \
                     `__threadfence();` and an atomic between blocks)"
                ),
                format!("or move the parent's access before {launched_by}, or into a tail launch"),
            ],
        )
    }
}

fn tail(a: Option<(u64, u32)>, b: Option<(u64, u32)>) -> Advice {
    let edge = "the two tail launches were made by threads that nothing orders, so their order in the tail stream is unspecified";
    match (a, b) {
        (Some((a, _)), Some((b, _))) if a == b => {
            (edge, &["make both launches from one thread, or put `__syncthreads();` between them"])
        }
        _ => (edge, &["make both launches from one thread: no barrier orders two blocks"]),
    }
}

/// Whether hardware can show it.
pub(crate) fn hardware(relation: Relation) -> &'static str {
    match relation {
        Relation::Ancestor { .. } => {
            "the child may start at once or after its parent: hardware shows either, mostly the same one"
        }
        Relation::Block { .. } => "depends on how warps are scheduled",
        _ => "depends on timing; runs that look right prove nothing",
    }
}
