//! When everything was, in nanoseconds of model time.

use std::collections::BTreeMap;

/// One simulated run.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// The program's name and the process's number.
    pub program: (String, u32),
    /// Calls of host threads.
    pub calls: Vec<Call>,
    /// Grids by item.
    pub grids: BTreeMap<u64, GridSpan>,
    /// Edges of graphs between grids.
    pub edges: Vec<(u64, u64)>,
    /// Blocks in the order in which they began.
    pub blocks: Vec<BlockSpan>,
    /// Operations by item.
    pub operations: BTreeMap<u64, OperationSpan>,
    /// Slots of the launch pool in use, from these times on.
    pub pending: Vec<(f64, u32)>,
    /// When the last thing was over.
    pub end: f64,
    /// What is missing or was left out.
    pub notes: Vec<String>,
}

/// A call of CUDA.
#[derive(Clone, Debug)]
pub struct Call {
    /// The host thread.
    pub thread: u32,
    /// The function.
    pub name: String,
    /// When it was called.
    pub start: f64,
    /// When it returned.
    pub end: f64,
    /// The items that it queued.
    pub items: Vec<u64>,
}

/// Where an item stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// A stream of the host.
    Stream(u64),
    /// Launched by this grid.
    Device(u64),
}

/// Who launched a grid on the device.
#[derive(Clone, Copy, Debug)]
pub struct Launcher {
    /// The grid.
    pub grid: u64,
    /// Its block.
    pub block: u64,
    /// When.
    pub time: f64,
}

/// One launch.
#[derive(Clone, Debug)]
pub struct GridSpan {
    /// The kernel.
    pub kernel: String,
    /// Where it stands.
    pub lane: Lane,
    /// Blocks and threads of a block.
    pub shape: (u64, u32),
    /// It may start before what is in front is complete.
    pub programmatic: bool,
    /// When it was queued.
    pub queued: f64,
    /// When its first block began.
    pub start: f64,
    /// When its last block had triggered or exited.
    pub triggered: f64,
    /// When its last block exited.
    pub exit: f64,
    /// When it was complete.
    pub complete: f64,
    /// Which thread launched it, on the device.
    pub launcher: Option<Launcher>,
    /// It is a node of a graph: what is in front of it are its edges, not its neighbour in the stream.
    pub is_node: bool,
}

/// One block on a multiprocessor.
#[derive(Clone, Copy, Debug)]
pub struct BlockSpan {
    /// Of which grid.
    pub grid: u64,
    /// Which block.
    pub block: u64,
    /// Where.
    pub multiprocessor: usize,
    /// In which of its slots.
    pub slot: usize,
    /// When it began.
    pub start: f64,
    /// When it triggered.
    pub trigger: Option<f64>,
    /// From when to when it waited for the grids in front.
    pub wait: Option<(f64, f64)>,
    /// When it exited.
    pub end: f64,
}

/// A copy, a set and so on.
#[derive(Clone, Debug)]
pub struct OperationSpan {
    /// What it is.
    pub name: String,
    /// Bytes that it moves.
    pub bytes: u64,
    /// Where it stands.
    pub lane: Lane,
    /// When it began.
    pub start: f64,
    /// When it was over.
    pub end: f64,
}

impl Timeline {
    /// The grids of each stream of the host, in order.
    pub fn chains(&self) -> BTreeMap<u64, Vec<u64>> {
        let mut chains: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for (&number, grid) in &self.grids {
            if let Lane::Stream(stream) = grid.lane {
                chains.entry(stream).or_default().push(number);
            }
        }
        chains
    }

    /// Pairs of grids that follow each other: neighbours in a stream of the host, and what an edge of a graph connects.
    pub fn pairs(&self) -> Vec<(u64, u64)> {
        let is_node = |number: u64| self.grids.get(&number).is_some_and(|grid| grid.is_node);
        let chains = self.chains();
        let neighbours = chains.values().flat_map(|chain| chain.windows(2)).map(|pair| (pair[0], pair[1]));
        neighbours.filter(|&(_, to)| !is_node(to)).chain(self.edges.iter().copied()).collect()
    }

    /// Whether blocks of two grids are on the device at the same time.
    pub fn overlap(&self, one: u64, other: u64) -> bool {
        let span = |number| {
            let of = |block: &&BlockSpan| block.grid == number;
            let start = self.blocks.iter().filter(of).map(|block| block.start).fold(f64::INFINITY, f64::min);
            let end = self.blocks.iter().filter(of).map(|block| block.end).fold(0.0, f64::max);
            (start, end)
        };
        let (one, other) = (span(one), span(other));
        one.0 < other.1 && other.0 < one.1
    }
}
