//! One launch: the code to run, how many of its blocks were handed out, and how many have not exited.

use crate::device::{Device, Workspace};
use crate::exec::{Clusters, Costs, Dependency, GridCode, Observer};
use crate::memory::Kind;
use crate::module::Function;
use crate::profile;
use crate::status::Status;
use crate::tracing;
use hotfire_jit::Kernel;
use hotfire_launch::order::ItemId;
use hotfire_launch::{Early, Item};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The device, as a sum of costs of resident blocks: a block costs the part of it that its own kind would fill.
pub(crate) const CAPACITY: u64 = 1 << 40;

/// Dimensions and dynamic shared memory of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    /// Blocks of a cluster, where the launch says so.
    pub cluster: Option<[u32; 3]>,
}

/// What of a launch is known to be right: its function can run in this shape.
#[derive(Clone)]
pub(crate) struct Checked {
    pub function: Arc<Function>,
    pub kernel: Arc<Kernel>,
    pub shape: Shape,
    cost: u64,
    /// Blocks of this kind that the empty device holds.
    pub capacity: u64,
}

impl Checked {
    /// Checks a configuration (launch-model 2.1, 3.6): 9 for dimensions, `too_much_shared` for shared memory, 701 for more threads
    /// than the kernel was compiled for, or what compiling answers.
    pub fn new(function: &Arc<Function>, shape: Shape, too_much_shared: Status) -> Result<Self, Status> {
        profile::check_configuration(shape.grid, shape.block)?;
        let kernel = function.kernel()?;
        let shape = Shape { cluster: Some(cluster(function, shape)?), ..shape };
        let threads: u32 = shape.block.iter().product();
        if shape.dynamic_shared > function.max_dynamic_shared(kernel.static_shared) {
            return Err(too_much_shared);
        }
        if !function.allows_block(shape.block) {
            return Err(Status::LAUNCH_OUT_OF_RESOURCES);
        }
        let occupancy = profile::blocks_per_multiprocessor(threads, kernel.static_shared + shape.dynamic_shared);
        if occupancy == 0 {
            return Err(too_much_shared);
        }
        let capacity = u64::from(occupancy * profile::profile().multiprocessors);
        let cost = CAPACITY / capacity;
        Ok(Self { capacity, function: function.clone(), kernel, shape, cost })
    }

    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.shape.grid.iter().map(|&n| u64::from(n)).product()
    }
}

/// The cluster of a launch: what the kernel was compiled for, or what the launch asks for, or a single block.
fn cluster(function: &Function, shape: Shape) -> Result<[u32; 3], Status> {
    let cluster = match (function.required_cluster(), shape.cluster) {
        (Some(required), Some(asked)) if required != asked => return Err(Status::INVALID_CLUSTER_SIZE),
        (Some(cluster), _) | (None, Some(cluster)) => cluster,
        (None, None) => return Ok([1; 3]),
    };
    let blocks = cluster.iter().try_fold(1u32, |blocks, &n| blocks.checked_mul(n)).unwrap_or(u32::MAX);
    let divides = shape.grid.iter().zip(cluster).all(|(grid, n)| n > 0 && grid.is_multiple_of(n));
    if !divides || blocks > function.largest_cluster() {
        return Err(Status::INVALID_CLUSTER_SIZE);
    }
    Ok(cluster)
}

/// A grid between its launch and the exit of its last block.
pub(crate) struct Grid {
    pub device: &'static Device,
    /// Keeps the module's code alive.
    pub function: Arc<Function>,
    pub code: Arc<GridCode>,
    /// Address of the parameter block, if the grid owns it; else 0.
    parameters: u64,
    /// The launch of a graph that it is a node of, as the bits of its item; 0 for none.
    graph: AtomicU64,
    /// The next block to hand out.
    next: AtomicU64,
    blocks: u64,
    unfinished: AtomicU64,
    /// Part of the device that one resident block takes.
    pub cost: u64,
    /// Blocks that the empty device holds.
    capacity: u64,
    /// Where its blocks meet, if it is cooperative: then they become resident together.
    pub workspace: Option<Workspace>,
    /// They have; changed under the engine's lock.
    pub together: AtomicBool,
    /// Whether someone waits for all blocks to have begun.
    pub announces: AtomicBool,
    /// Launches between the host and this grid.
    pub depth: u32,
    /// Blocks that are parked; changed under the engine's lock.
    pub parked: AtomicU32,
    /// Launches that its threads prepared and did not carry out yet; changed under the engine's lock.
    pub prepared: AtomicU32,
    /// The model's item, as bits; set before the first block runs.
    item: AtomicU64,
    /// In a checked run, what it is to happens-before.
    id: AtomicU32,
}

impl Grid {
    /// What one resident block takes of the device, if it does not have its room already; to be asked under the engine's lock.
    pub fn cost_of_one(&self) -> u64 {
        if self.together.load(Ordering::Relaxed) { 0 } else { self.cost }
    }

    /// A grid that is not in the model yet. Takes over the parameter block.
    pub fn new(
        device: &'static Device,
        launch: Checked,
        parameters: u64,
        cancel: Arc<AtomicBool>,
        launcher: Option<&Grid>,
        workspace: Option<Workspace>,
    ) -> Arc<Self> {
        let gridid = device.next_grid_id();
        let depth = launcher.map_or(0, |launcher| launcher.depth + 1);
        Self::make(device, launch, (parameters, true), cancel, gridid, depth, workspace)
    }

    /// The grid of a node of a graph, which keeps the parameter block.
    pub fn of_node(
        device: &'static Device,
        launch: Checked,
        parameters: u64,
        cancel: Arc<AtomicBool>,
        gridid: u64,
        workspace: Option<Workspace>,
    ) -> Arc<Self> {
        Self::make(device, launch, (parameters, false), cancel, gridid, 0, workspace)
    }

    fn make(
        device: &'static Device,
        launch: Checked,
        (parameters, owned): (u64, bool),
        cancel: Arc<AtomicBool>,
        gridid: u64,
        depth: u32,
        workspace: Option<Workspace>,
    ) -> Arc<Self> {
        let blocks = launch.blocks();
        let Checked { function, kernel, shape, cost, capacity } = launch;
        Arc::new_cyclic(|this: &std::sync::Weak<Self>| Self {
            device,
            function,
            code: Arc::new(GridCode {
                kernel,
                grid: shape.grid,
                block: shape.block,
                cluster: shape.cluster.unwrap_or([1; 3]),
                clusters: Clusters::default(),
                dynamic_shared: shape.dynamic_shared,
                parameters: parameters as *const u8,
                gridid,
                current_graph: AtomicU64::new(0),
                workspace: workspace.as_ref().map_or(0, Workspace::address),
                warp_order: device.block_order,
                stack_limit: device.stack_limit(),
                cancel,
                call_target: crate::module::call_target,
                owner: this.as_ptr().cast::<c_void>(),
                observer: device.checking.as_ref().map(|checking| checking as &dyn Observer),
                start: OnceLock::new(),
                dependency: Dependency::new(blocks, all_triggered),
                costs: tracing::active().map(|_| Costs::new(blocks)),
            }),
            parameters: if owned { parameters } else { 0 },
            graph: AtomicU64::new(0),
            next: AtomicU64::new(0),
            blocks,
            unfinished: AtomicU64::new(blocks),
            cost,
            capacity,
            workspace,
            together: AtomicBool::new(false),
            announces: AtomicBool::new(false),
            depth,
            parked: AtomicU32::new(0),
            prepared: AtomicU32::new(0),
            item: AtomicU64::new(0),
            id: AtomicU32::new(0),
        })
    }

    /// Makes a grid of a node, whose blocks have all exited, ready for a further launch; false if it cannot be.
    pub fn renew(&mut self, cancel: &Arc<AtomicBool>) -> bool {
        let Some(code) = Arc::get_mut(&mut self.code) else { return false };
        code.gridid = self.device.next_grid_id();
        code.stack_limit = self.device.stack_limit();
        if !Arc::ptr_eq(&code.cancel, cancel) {
            code.cancel = cancel.clone();
        }
        code.dependency = Dependency::new(self.blocks, all_triggered);
        *self.next.get_mut() = 0;
        *self.unfinished.get_mut() = self.blocks;
        true
    }

    /// Tells which launch of which executable graph it is a node of.
    pub fn set_graph(&self, run: Option<Item>, exec: u64) {
        self.graph.store(run.map_or(0, Item::to_bits), Ordering::Relaxed);
        self.code.current_graph.store(exec, Ordering::Relaxed);
    }

    /// The launch of a graph that it is a node of.
    pub fn graph(&self) -> Option<Item> {
        Item::from_bits(self.graph.load(Ordering::Relaxed))
    }

    /// The grid that an owner pointer of [`GridCode`] stands for.
    ///
    /// # Safety
    /// `owner` comes from a [`GridCode`] whose grid has blocks that have not exited.
    pub unsafe fn from_owner<'a>(owner: *const c_void) -> &'a Self {
        // SAFETY: `owner` was made from the Arc's own address; the engine keeps the Arc until the last block exited.
        unsafe { &*owner.cast::<Self>() }
    }

    pub fn set_item(&self, item: Item) {
        self.item.store(item.to_bits(), Ordering::Release);
    }

    /// Tells what it is to happens-before.
    pub fn set_id(&self, id: ItemId) {
        self.id.store(id.0, Ordering::Release);
    }

    /// What it is to happens-before.
    pub fn id(&self) -> ItemId {
        ItemId(self.id.load(Ordering::Acquire))
    }

    /// Its item in the model.
    pub fn item(&self) -> Item {
        Item::from_bits(self.item.load(Ordering::Acquire)).expect("the grid was submitted")
    }

    /// Hands out the next blocks: first index and count, at most `most`.
    pub fn claim(&self, most: u64) -> Option<(u64, u64)> {
        if self.exhausted() {
            return None;
        }
        let first = self.next.fetch_add(most, Ordering::Relaxed);
        (first < self.blocks).then(|| (first, most.min(self.blocks - first)))
    }

    /// True when all blocks were handed out.
    pub fn exhausted(&self) -> bool {
        self.next.load(Ordering::Relaxed) >= self.blocks
    }

    /// Whether the next block is one of a cluster that has begun: it must not wait for room.
    pub fn is_inside_cluster(&self) -> bool {
        self.code.is_clustered() && !self.next.load(Ordering::Relaxed).is_multiple_of(self.code.cluster_blocks())
    }

    /// Blocks not handed out yet.
    pub fn remaining(&self) -> u64 {
        self.blocks.saturating_sub(self.next.load(Ordering::Relaxed))
    }

    /// Blocks exited; true if they were the last.
    pub fn exited(&self, count: u64) -> bool {
        count > 0 && self.unfinished.fetch_sub(count, Ordering::AcqRel) == count
    }

    /// Blocks of this kind that one multiprocessor holds.
    pub fn per_multiprocessor(&self) -> u32 {
        (self.capacity / u64::from(profile::profile().multiprocessors)) as u32
    }

    /// Whether all that it depends on is complete.
    pub fn is_independent(&self) -> bool {
        self.code.dependency.is_independent()
    }

    /// No further block starts. Returns how many had not been handed out.
    pub fn stop(&self) -> u64 {
        self.blocks.saturating_sub(self.next.swap(self.blocks, Ordering::Relaxed))
    }
}

/// All blocks of a grid have triggered or exited, and not all exited. Whether whoever was last lets others run first.
fn all_triggered(owner: *const c_void) -> bool {
    // SAFETY: the calling block has not exited.
    let grid = unsafe { Grid::from_owner(owner) };
    grid.device.with(|state| state.reached(grid.item(), Early::Triggered))
}

impl Drop for Grid {
    fn drop(&mut self) {
        if self.parameters != 0 {
            let freed = self.device.memory().free(self.parameters);
            debug_assert!(freed.is_ok_and(|block| block.kind == Kind::Parameters));
        }
    }
}
