//! The launch pool over all legal schedules (launch-model 3.5): the most slots that the launches of the run could hold at once.
//!
//! A grid that device code launched holds a slot from the launch call until it is done. Let W(g) be the most slots that g
//! and all below it can hold at once:
//!
//! - Until g is done, its own slot (none if the host launched it), one for each of its queued tails, all at once the most of
//!   each fire-and-forget child (nothing promises that one ends before the next starts), and for each in-order stream of
//!   children the most over its members of W(c) plus one for each later member that is queued behind it:
//!   `A(g) = own + tails + sum W(f) + sum over streams of max (W(c_i) + n - i)`.
//! - Once g is done its slot is free and its tails run one after another: `B(g) = max (W(t_i) + n - i)`.
//! - `W(g) = max(A, B)`. A launch that the pool dropped counts in A like a fire-and-forget child, with the most that any grid of
//!   its kernel had in this run.
//!
//! Host launches of one stream follow each other; those of different streams may overlap unless a synchronisation with the whole
//! device lies between them, and the legacy default stream overlaps with non-blocking streams only. Events and shorter
//! synchronisations only lower the number: it is an upper bound where programs use them, and exact otherwise.

use super::failures::Dropped;
use super::grids::{Grids, StreamClass};
use super::{Checking, Queue};
use hotfire_check::Pool;
use std::collections::HashMap;
use std::sync::Arc;

/// Members of an in-order stream, looked at from the last to the first.
#[derive(Clone, Copy, Default)]
struct Line {
    most: u64,
    later: u64,
}

impl Line {
    fn push_before(&mut self, slots: u64) {
        self.most = self.most.max(slots + self.later);
        self.later += 1;
    }
}

/// What is known of a grid's children when it is its turn.
#[derive(Clone, Copy, Default)]
struct Below {
    free: u64,
    tails: Line,
}

/// Which stream of the launching grid: the NULL stream of a block, or a named one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Lane {
    Block(u64),
    Named(u32),
}

/// The most slots at once.
pub(super) fn worst_case(grids: &Grids, dropped: &Dropped) -> u64 {
    let mut of_kernel = HashMap::new();
    let most = bound(grids, dropped, &HashMap::new(), |kernel, most| {
        let known = of_kernel.entry(kernel).or_insert(most);
        *known = most.max(*known);
    });
    if dropped.is_empty() { most } else { bound(grids, dropped, &of_kernel, |_, _| {}) }
}

/// The most slots at once. `of_kernel` says how many a dropped launch of a kernel (by its address) stands for; `each` is told the
/// kernel of every grid and how many it and all below it can hold.
fn bound(grids: &Grids, dropped: &Dropped, of_kernel: &HashMap<usize, u64>, mut each: impl FnMut(usize, u64)) -> u64 {
    let mut below: Vec<Below> = Vec::new();
    let mut lanes: HashMap<u64, HashMap<Lane, Line>> = HashMap::new();
    // By epoch and stream of the host.
    let mut roots: HashMap<(usize, u32), u64> = HashMap::new();
    // By epoch and launch of a graph.
    let mut graphs: HashMap<(usize, u32), u64> = HashMap::new();
    // Children come after their parents.
    for (id, record, kind) in grids.all().rev() {
        if below.is_empty() {
            below.resize(id as usize + 1, Below::default());
        }
        let Below { free, tails } = below[id as usize];
        let streams: u64 = lanes.remove(&id).iter().flat_map(HashMap::values).map(|line| line.most).sum();
        let of_graph = matches!(record.queue, Queue::Node { .. });
        let own = u64::from(record.parent != 0 && !of_graph);
        let lost = dropped.get(&id).into_iter().flatten();
        let lost: u64 = lost.map(|(kernel, count)| count * of_kernel.get(kernel).copied().unwrap_or(1).max(1)).sum();
        let running = own + tails.later + free + streams + lost;
        let most = running.max(tails.most);
        each(Arc::as_ptr(&kind.function) as usize, most);
        let parent = record.parent as usize;
        match record.queue {
            Queue::Host(stream) => {
                let slot = roots.entry((grids.epoch_of(id), stream)).or_default();
                *slot = most.max(*slot);
            }
            Queue::FireAndForget => below[parent].free += most,
            // Nodes may run beside each other; device code launches graphs without a slot, and only such whose kernels launch no grids.
            Queue::Node { launch, .. } if parent == 0 => {
                *graphs.entry((grids.epoch_of(id), launch)).or_default() += most;
            }
            Queue::Node { .. } => {}
            Queue::Tail => below[parent].tails.push_before(most),
            Queue::Null => {
                let lane = Lane::Block(record.block);
                lanes.entry(record.parent).or_default().entry(lane).or_default().push_before(most);
            }
            Queue::Named(stream) => {
                lanes.entry(record.parent).or_default().entry(Lane::Named(stream)).or_default().push_before(most);
            }
        }
    }
    let mut epochs: HashMap<usize, [u64; 3]> = HashMap::new();
    // Launches of graphs count as in a stream that joins with none.
    let mut most_of_graphs: HashMap<usize, u64> = HashMap::new();
    for ((epoch, _), most) in graphs {
        let known = most_of_graphs.entry(epoch).or_default();
        *known = most.max(*known);
    }
    most_of_graphs
        .into_iter()
        .for_each(|(epoch, most)| epochs.entry(epoch).or_default()[StreamClass::NonBlocking as usize] += most);
    for ((epoch, stream), most) in roots {
        epochs.entry(epoch).or_default()[grids.host_stream_class(stream) as usize] += most;
    }
    let together = |sums: [u64; 3]| {
        let of = |class: StreamClass| sums[class as usize];
        of(StreamClass::Legacy).max(of(StreamClass::Blocking)) + of(StreamClass::NonBlocking)
    };
    epochs.into_values().map(together).max().unwrap_or(0)
}

impl Checking {
    /// The pool of the run so far.
    pub(super) fn pool(&self, size: u32, high_water: u32) -> Pool {
        let dropped = self.failures.lock().dropped.clone();
        let worst_case = worst_case(&self.grids.lock(), &dropped);
        Pool { size, high_water, worst_case: worst_case.max(u64::from(high_water)), lost: self.lost_launches() }
    }
}
