//! What the engine hands to a worker, and what it gets back.

use super::cluster::Clusters;
use super::costs::Costs;
use super::dependency::Dependency;
use super::observer::Observer;
use super::parked::{BlockHandle, Rest};
use hotfire_jit::Kernel;
use hotfire_jit::abi::Fault;
use hotfire_launch::order::{Clock, ItemId};
use hotfire_ptx::ast::Location;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};

/// Everything a worker needs to run any block of one grid.
pub struct GridCode {
    /// The compiled kernel.
    pub kernel: Arc<Kernel>,
    /// Blocks in each dimension.
    pub grid: [u32; 3],
    /// Threads of a block in each dimension; 1 to 1024 in all.
    pub block: [u32; 3],
    /// Blocks of a cluster in each dimension, which divide those of the grid; 1, 1, 1 without clusters.
    pub cluster: [u32; 3],
    /// Its clusters that are about to begin.
    pub clusters: Clusters,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The parameter block, alive as long as the grid.
    pub parameters: *const u8,
    /// `%gridid`
    pub gridid: u64,
    /// `%current_graph_exec`; 0 outside of graphs.
    pub current_graph: AtomicU64,
    /// Where the blocks of a cooperative launch meet; 0 in other grids.
    pub workspace: u64,
    /// The seed of the order in which the warps of a block start; else they start in order.
    pub warp_order: Option<u64>,
    /// Stack bytes for a thread of a kernel whose need has no bound (recursion, calls through pointers); from
    /// `cudaLimitStackSize`. Native frames are larger than a GPU's, so the device gives several times this number.
    pub stack_limit: u32,
    /// Once true, blocks of this grid stop at their next suspension and answer [`Outcome::Cancelled`]. One flag may serve many
    /// grids: all of a context, say.
    pub cancel: Arc<AtomicBool>,
    /// Native code of the function whose address a program holds. Called on the worker's stack.
    pub call_target: fn(owner: *const c_void, address: u64) -> Option<*const u8>,
    /// The engine's own grid; see [`owner`](super::owner).
    pub owner: *const c_void,
    /// Who watches the blocks, and gives them the time.
    pub observer: Option<&'static dyn Observer>,
    /// In a checked run, the item that the grid is to happens-before, and what it starts with. Set before the first block runs.
    pub start: OnceLock<(ItemId, Arc<Clock>)>,
    /// What it waits for, and who waits for it, before it is complete.
    pub dependency: Dependency,
    /// What its blocks cost, if code counts.
    pub costs: Option<Costs>,
}

// SAFETY: the two pointers are only handed on: `parameters` to generated code, which reads it, `owner` to the engine, which
// made it for use by any worker.
unsafe impl Send for GridCode {}
// SAFETY: as above; nothing is changed through a shared reference but the atomic.
unsafe impl Sync for GridCode {}

impl GridCode {
    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }

    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Whether its blocks are in clusters of several.
    pub fn is_clustered(&self) -> bool {
        self.cluster != [1; 3]
    }

    /// Blocks of a cluster.
    pub fn cluster_blocks(&self) -> u64 {
        self.cluster.iter().map(|&n| u64::from(n)).product()
    }

    /// Coordinates of the block that is handed out as number `index`.
    pub fn coordinates(&self, index: u64) -> [u32; 3] {
        coordinates(self.grid, self.cluster, index)
    }
}

/// Coordinates of block number `index` of a grid: those of a cluster come one after the other.
pub fn coordinates(grid: [u32; 3], cluster: [u32; 3], index: u64) -> [u32; 3] {
    let at = |size: [u32; 3], index: u64| {
        let [x, y, _] = size.map(|n| u64::from(n.max(1)));
        [(index % x) as u32, (index / x % y) as u32, (index / (x * y)) as u32]
    };
    if cluster == [1; 3] {
        return at(grid, index);
    }
    let blocks: u64 = cluster.iter().map(|&n| u64::from(n)).product();
    let clusters = std::array::from_fn(|n| grid[n] / cluster[n]);
    let (outer, inner) = (at(clusters, index / blocks), at(cluster, index % blocks));
    std::array::from_fn(|n| outer[n] * cluster[n] + inner[n])
}

/// How a block's turn on a worker ended.
#[derive(Debug)]
pub enum Outcome {
    /// All threads exited.
    Finished,
    /// Every live thread waits or spins; run something else, then [`resume`](super::Worker::resume) it.
    Parked(ParkedBlock),
    /// A thread faulted. The block is gone.
    Fault(FaultReport),
    /// Stopped because the grid's `cancel` flag was set. The block is gone.
    Cancelled,
}

/// What a thread was stopped for, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultReport {
    /// What happened.
    pub fault: Fault,
    /// The address accessed, the call target and so on; 0 where there is none.
    pub address: u64,
    /// `%ctaid`
    pub block: [u32; 3],
    /// `%tid`
    pub thread: [u32; 3],
    /// The place in the PTX text (and the CUDA source line), if known.
    pub location: Option<Location>,
}

/// A block that keeps its shared window and stacks while others run. May be resumed by any worker of the same
/// [`Memory`](crate::memory::Memory); dropping it abandons its threads and gives everything back.
#[derive(Debug)]
pub struct ParkedBlock(pub(super) BlockHandle);

impl ParkedBlock {
    /// True if every live thread waits at a barrier or warp collective that only threads of this block could complete: it
    /// will never go on. (A parked block that is not stuck has threads that spin.)
    pub fn stuck(&self) -> bool {
        self.0.rest() == Rest::Stuck
    }

    /// True if its threads wait for other grids, and some perhaps for those threads: it goes on when the grid is
    /// [independent](Dependency::is_independent).
    pub fn depends(&self) -> bool {
        self.0.rest() == Rest::Depends
    }

    /// True if its threads looked the same at the last two looks: loops that only read what others may write, most likely.
    pub fn unchanged(&self) -> bool {
        self.0.unchanged()
    }

    /// Linear index of the block.
    pub fn block(&self) -> u64 {
        self.0.index()
    }

    /// Its grid.
    pub fn grid(&self) -> &Arc<GridCode> {
        self.0.grid()
    }
}
