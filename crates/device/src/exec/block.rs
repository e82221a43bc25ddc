//! One block: its threads, and who of them waits for what.
//!
//! A block is driven by one worker at a time; the functions of generated code run on fibers of that same host thread. So a
//! block is never shared, but it is reached through raw pointers from both sides of a switch: no reference to it may live
//! across one.

use super::barrier::Barriers;
use super::cluster::Cluster;
use super::fiber::{Fiber, Queue};
use super::grid::{FaultReport, GridCode};
use super::permutation::permuted;
use super::region::{self, Regions};
use super::spin::Circle;
use super::stack;
use super::told::Told;
use super::warp::Warp;
use super::window::Window;
use crate::checking;
use crate::memory::Memory;
use crate::memory::map::{PAGE, round_up};
use crate::profile::profile;
use hotfire_check::{BlockOrder, Checker};
use hotfire_jit::abi::{BlockContext, BlockCosts, EntryKind, cluster, stamp};
use std::io;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Most threads of a block.
pub const THREADS: usize = 1024;
/// Lanes of a warp.
pub const LANES: usize = 32;
const WARPS: usize = THREADS / LANES;
/// Entries of a block's memory of call targets.
pub const TARGETS: usize = 8;

/// A block that runs, is parked, or waits for its next use.
pub struct Block {
    /// As generated code sees it.
    pub context: BlockContext,
    /// Linear index in the grid.
    pub index: u64,
    /// Behind the last block of the range that is run in one go.
    pub end: u64,
    pub grid: *const GridCode,
    /// Keeps `grid` alive while the block is parked.
    pub keep: Option<Arc<GridCode>>,
    cancel: *const AtomicBool,
    pub memory: Arc<Memory>,
    pub entry: EntryKind,
    /// Threads of the block.
    pub threads: u32,
    /// First thread that was not started.
    pub next_thread: u32,
    pub next_tid: [u32; 3],
    /// The seed of the order in which its warps start; else they start in order.
    warp_order: Option<u64>,
    /// Threads that did not exit, those not started included.
    pub live: u32,
    /// Warps with such threads.
    pub live_warps: u32,
    /// Threads that can go on.
    pub ready: Queue,
    /// Threads that let others run.
    pub yielded: Queue,
    /// Threads that ask who is active.
    pub asking: Queue,
    /// Threads that wait for the grids that theirs depends on.
    pub depending: Queue,
    /// Threads that stand still at a trigger.
    pub paused: Queue,
    /// One of its threads has triggered.
    pub triggered: bool,
    /// Cycles at which the first thread triggered, and at which the first one waited for other grids, if code counts.
    pub trigger_at: Option<u64>,
    pub wait_at: Option<u64>,
    /// The block is to be parked at once.
    pub pauses: bool,
    /// Rounds over the yielded threads in this turn, since the last thread exited.
    pub rounds: u32,
    /// Live threads, and those that had yielded, at the last look.
    pub likeness: u64,
    /// They had not changed since the look before.
    pub unchanged: bool,
    /// A thread asked for the block to be parked at the end of this round.
    pub gives_way: bool,
    pub barriers: Barriers,
    pub warps: [Warp; WARPS],
    /// Fibers of the threads that suspended, by linear index.
    pub lanes: [*mut Fiber; THREADS],
    /// What the threads of a kernel in phases leave for the next phase.
    frames: Vec<u128>,
    pub fault: Option<FaultReport>,
    /// Native code of functions called through pointers of late, by address.
    pub targets: [(u64, *const u8); TARGETS],
    /// The shared window; kept for the next block.
    pub window: Window,
    null_window: Window,
    /// The windows of its cluster, as generated code finds them.
    windows: [u64; cluster::WINDOWS],
    /// Its cluster.
    pub cluster: Option<Arc<Cluster>>,
    /// Its rank there.
    rank: usize,
    /// Size class of the stacks.
    pub class: usize,
    /// What its threads know of others' accesses, if the run is checked.
    pub order: Option<Box<BlockOrder>>,
    /// Which of its threads know something that depends on the schedule, with `--outcome`.
    pub told: Option<Box<Told>>,
    /// The checker; null if the run is not checked.
    pub checker: *mut Checker,
}

extern "C-unwind" fn no_entry(_: *mut hotfire_jit::abi::ThreadContext) {}

impl Block {
    /// A block for use with [`set`](Self::set).
    pub fn new(memory: Arc<Memory>, regions: &Regions) -> Box<Self> {
        let context = BlockContext {
            ntid: [1; 3],
            ctaid: [0; 3],
            nctaid: [1; 3],
            dynamic_shared: 0,
            total_shared: 0,
            smid: 0,
            nsmid: profile().multiprocessors,
            cluster_ctaid: [0; 3],
            cluster_nctaid: [1; 3],
            gridid: 0,
            shared: ptr::null_mut(),
            parameters: ptr::null(),
            device: ptr::null_mut(),
            current_graph: 0,
            workspace: 0,
            windows: ptr::null(),
            segment: 0,
            met: 0,
            watched: 0,
            shadow: ptr::null(),
            costs: BlockCosts::default(),
        };
        Box::new(Self {
            context,
            index: 0,
            end: 0,
            grid: ptr::null(),
            keep: None,
            cancel: ptr::null(),
            memory,
            entry: EntryKind::Thread(no_entry),
            threads: 0,
            next_thread: 0,
            next_tid: [0; 3],
            warp_order: None,
            live: 0,
            live_warps: 0,
            ready: Queue::new(),
            yielded: Queue::new(),
            asking: Queue::new(),
            depending: Queue::new(),
            paused: Queue::new(),
            triggered: false,
            trigger_at: None,
            wait_at: None,
            pauses: false,
            rounds: 0,
            likeness: 0,
            unchanged: false,
            gives_way: false,
            barriers: Barriers::new(),
            warps: [Warp::NEW; WARPS],
            lanes: [ptr::null_mut(); THREADS],
            frames: Vec::new(),
            fault: None,
            targets: [(0, ptr::null()); TARGETS],
            window: regions.windows.null(),
            null_window: regions.windows.null(),
            windows: [regions.windows.null().base; cluster::WINDOWS],
            cluster: None,
            rank: 0,
            class: 0,
            order: None,
            told: None,
            checker: ptr::null_mut(),
        })
    }

    /// Makes this block `index` of `grid`. The blocks up to `end` follow it, by [`advance`](Self::advance).
    ///
    /// # Errors
    /// The operating system's, when there is no shared memory to be had.
    pub fn set(&mut self, grid: &GridCode, index: u64, end: u64, regions: &Regions) -> io::Result<()> {
        let kernel = &*grid.kernel;
        let shared = kernel.static_shared.saturating_add(kernel.reserved_shared).saturating_add(grid.dynamic_shared);
        let open = round_up(u64::from(shared), PAGE);
        self.leave_cluster();
        self.context.ctaid = grid.coordinates(index);
        self.context.cluster_nctaid = grid.cluster;
        self.context.cluster_ctaid = [0; 3];
        if grid.is_clustered() {
            let blocks = grid.cluster_blocks();
            self.context.cluster_ctaid = std::array::from_fn(|n| self.context.ctaid[n] % grid.cluster[n]);
            regions.windows.give(std::mem::replace(&mut self.window, regions.windows.null()));
            let cluster = grid.clusters.join(index / blocks, blocks, grid.threads(), shared)?;
            self.rank = (index % blocks) as usize;
            self.window = cluster.window(self.rank);
            cluster.fill(self.rank, &mut self.windows);
            self.cluster = Some(cluster);
        } else {
            if self.window.open != open {
                regions.windows.give(std::mem::replace(&mut self.window, regions.windows.null()));
                self.window = regions.windows.take(shared)?;
            }
            self.windows[..2].fill(self.window.base);
        }
        self.context.windows = self.windows.as_ptr();
        self.targets = [(0, ptr::null()); TARGETS];
        self.grid = grid;
        self.cancel = Arc::as_ptr(&grid.cancel);
        // A function is no kernel; the engine never runs one.
        self.entry = match kernel.entry {
            EntryKind::Function(_) => EntryKind::Thread(no_entry),
            entry => entry,
        };
        self.class = stack::class_for(if kernel.unbounded_stack {
            u64::from(kernel.stack).max(16 * u64::from(grid.stack_limit) + (32 << 10))
        } else {
            u64::from(kernel.stack)
        });
        self.threads = grid.threads().min(THREADS as u32);
        self.warp_order = grid.warp_order;
        self.index = index;
        self.end = end;
        self.context.ntid = grid.block;
        self.context.nctaid = grid.grid;
        self.context.dynamic_shared = grid.dynamic_shared;
        self.context.total_shared = shared;
        self.context.gridid = grid.gridid;
        self.context.current_graph = grid.current_graph.load(std::sync::atomic::Ordering::Relaxed);
        self.context.workspace = grid.workspace;
        self.context.shared = self.window.base as *mut u8;
        self.context.parameters = grid.parameters;
        self.context.device = ptr::from_mut(self).cast();
        self.checker = if grid.start.get().is_some() { checking::held() } else { ptr::null_mut() };
        self.begin();
        Ok(())
    }

    /// The block ended, or never began: its window is its cluster's.
    pub fn leave_cluster(&mut self) {
        let Some(cluster) = self.cluster.take() else { return };
        cluster.set_order(self.rank, ptr::null_mut());
        self.window = self.null_window;
        self.windows.fill(self.null_window.base);
    }

    fn begin(&mut self) {
        self.context.smid = (self.index % u64::from(self.context.nsmid)) as u32;
        self.next_thread = 0;
        self.next_tid = [0; 3];
        self.live = self.threads;
        self.rounds = 0;
        self.likeness = 0;
        self.unchanged = false;
        self.gives_way = false;
        self.triggered = false;
        self.trigger_at = None;
        self.wait_at = None;
        self.pauses = false;
        self.context.costs = BlockCosts::default();
        self.begin_order();
        if let EntryKind::Thread(_) = self.entry {
            let warps = self.threads.div_ceil(LANES as u32);
            self.live_warps = u32::MAX >> (32 - warps);
            for warp in &mut self.warps[..warps as usize] {
                warp.live = u32::MAX;
            }
            if let rest @ 1.. = self.threads % LANES as u32 {
                self.warps[warps as usize - 1].live = u32::MAX >> (LANES as u32 - rest);
            }
        }
    }

    /// In a checked run, the block's threads begin a time of their own.
    fn begin_order(&mut self) {
        // SAFETY: the worker holds the checker while it runs blocks; the grid lives as long as the block.
        let (checker, start) = unsafe { (self.checker.as_mut(), (*self.grid).start.get()) };
        let (Some(checker), Some((item, start))) = (checker, start) else { return };
        let order = self.order.get_or_insert_with(BlockOrder::new);
        order.is_shared = self.cluster.is_some();
        self.context.segment = order.begin(checker, *item, self.index, start, self.context.total_shared);
        self.context.met = u64::from(order.met()) << stamp::TIME;
        self.context.shadow = order.shared.words().cast();
        // The last word may be cut off: the shadow has a cell for it all the same, and the checker looks at what lies outside.
        self.context.watched = u64::from(self.context.total_shared.saturating_sub(3));
        if let Some(cluster) = &self.cluster {
            // Threads of other blocks may have been here: the words are looked at one by one.
            self.context.watched = 0;
            cluster.set_order(self.rank, ptr::from_mut(&mut **order));
        }
        if let Some(outcome) = &checker.outcome {
            let told = self.told.get_or_insert_with(|| Box::new(Told::new()));
            told.begin(outcome, *item, self.context.total_shared);
            // No read goes past what follows values.
            self.context.watched = 0;
        }
    }

    /// Becomes the next block of the range, the last one having finished. False at its end, or when cancelled.
    pub fn advance(&mut self) -> bool {
        if self.index + 1 >= self.end || self.cancelled() {
            return false;
        }
        debug_assert!(self.cluster.is_none(), "blocks of clusters are handed out one by one");
        self.index += 1;
        step(&mut self.context.ctaid, &self.context.nctaid);
        self.begin();
        true
    }

    /// The grid of a block that may be running.
    ///
    /// # Safety
    /// The block is live and was [`set`](Self::set).
    pub unsafe fn code<'a>(block: *const Self) -> &'a GridCode {
        // SAFETY: the grid lives as long as the block runs or is parked.
        unsafe { &*(*block).grid }
    }

    /// Frames of so many bytes for all threads of a kernel in phases, none of which has begun.
    pub fn frames(&mut self, bytes: u32) -> *mut u8 {
        let words = bytes as usize / size_of::<u128>();
        self.frames.resize(self.frames.len().max(words * self.threads as usize), 0);
        self.frames.iter_mut().step_by(words.max(1)).take(self.threads as usize).for_each(|first| *first = 0);
        self.frames.as_mut_ptr().cast()
    }

    /// Whether the engine wants the block to stop.
    pub fn cancelled(&self) -> bool {
        // SAFETY: the flag lives as long as the grid, the grid as long as the block runs or is parked.
        unsafe { (*self.cancel).load(Ordering::Relaxed) }
    }

    /// Whether a fiber must be sent to start threads.
    pub fn unstarted(&self) -> bool {
        match self.entry {
            EntryKind::Thread(_) => self.next_thread < self.threads,
            EntryKind::Loop(_) | EntryKind::Phases(..) => self.live > 0,
            EntryKind::Function(_) => false,
        }
    }

    /// The thread that starts next: its linear index and its coordinates.
    pub fn start_next(&mut self) -> (u32, [u32; 3]) {
        let next = (self.next_thread, self.next_tid);
        self.next_thread += 1;
        step(&mut self.next_tid, &self.context.ntid);
        match self.warp_order {
            None => next,
            Some(seed) => self.permuted(seed, next.0),
        }
    }

    /// The same where warps start in another order; one that is not full comes last.
    #[cold]
    fn permuted(&self, seed: u64, next: u32) -> (u32, [u32; 3]) {
        const LANES: u32 = super::block::LANES as u32;
        let (full, at) = (self.threads / LANES, next / LANES);
        let of = self.context.gridid.rotate_left(16) ^ self.index;
        let warp = if at < full { permuted(seed, of, u64::from(full), u64::from(at)) as u32 } else { at };
        let linear = warp * LANES + next % LANES;
        let [x, y, _] = self.context.ntid.map(|n| n.max(1));
        (linear, [linear % x, linear / x % y, linear / (x * y)])
    }

    /// Puts the thread that `fiber` runs on the table, so that others find it while it waits.
    ///
    /// # Safety
    /// `fiber` runs a thread of this block.
    pub unsafe fn know(&mut self, fiber: *mut Fiber) {
        // SAFETY: the caller's promise.
        unsafe {
            if !(*fiber).known {
                (*fiber).known = true;
                (*fiber).spins = 0;
                (*fiber).circle = Circle::NEW;
                self.lanes[(*fiber).context.linear as usize % THREADS] = fiber;
            }
        }
    }

    /// A thread ended. Exited threads count as arrived at barriers and are no members of collectives any more.
    ///
    /// # Safety
    /// `fiber` runs a thread of this block.
    #[inline(always)]
    pub unsafe fn exited(&mut self, fiber: *mut Fiber) {
        // SAFETY: the caller's promise.
        let (linear, known) = unsafe { ((*fiber).context.linear as usize % THREADS, (*fiber).known) };
        self.live -= 1;
        // SAFETY: the caller's promise.
        let cycles = unsafe { (*fiber).context.cycles };
        self.context.costs.cycles = self.context.costs.cycles.max(cycles);
        if self.cluster.is_some() {
            // SAFETY: the caller's promise.
            unsafe { super::cluster::exited(self, fiber) };
        }
        // Threads that exit one after the other are progress; there is an end to it.
        self.rounds = 0;
        let index = linear / LANES;
        let warp = &mut self.warps[index];
        warp.live &= !(1 << (linear % LANES));
        if warp.live == 0 {
            self.live_warps &= !(1 << index);
        }
        if known || warp.waits() || self.barriers.active != 0 {
            // SAFETY: the caller's promise.
            unsafe { self.exited_among_others(fiber, linear) };
        }
    }

    /// The rest of it where the thread had been waiting, or others are.
    ///
    /// # Safety
    /// As [`exited`](Self::exited).
    #[inline(never)]
    unsafe fn exited_among_others(&mut self, fiber: *mut Fiber, linear: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            if (*fiber).known {
                (*fiber).known = false;
                self.lanes[linear] = ptr::null_mut();
            }
        }
        let index = linear / LANES;
        if self.warps[index].waits() {
            // SAFETY: the caller's promise.
            unsafe { self.settle_collectives(index, fiber) };
        }
        if self.barriers.active != 0 {
            self.settle_barriers(index);
        }
    }

    /// Forgets all threads and returns their fibers, reset.
    ///
    /// # Safety
    /// No thread of the block is running.
    pub unsafe fn abandon(&mut self, mut free: impl FnMut(*mut Fiber)) {
        for lane in &mut self.lanes[..self.threads as usize] {
            let fiber = std::mem::replace(lane, ptr::null_mut());
            if !fiber.is_null() {
                // SAFETY: a suspended thread's fiber.
                unsafe { Fiber::reset(fiber) };
                free(fiber);
            }
        }
        self.ready = Queue::new();
        self.yielded = Queue::new();
        self.asking = Queue::new();
        self.depending = Queue::new();
        self.paused = Queue::new();
        self.barriers.clear();
        for warp in &mut self.warps {
            warp.clear();
        }
        self.live = 0;
        self.live_warps = 0;
    }
}

impl std::fmt::Debug for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Block").field("ctaid", &self.context.ctaid).field("live", &self.live).finish_non_exhaustive()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.leave_cluster();
        if let Some(regions) = region::existing() {
            regions.windows.give(self.window);
        }
    }
}

/// The next coordinates in linear order.
#[inline(always)]
pub fn step(at: &mut [u32; 3], size: &[u32; 3]) {
    at[0] += 1;
    if at[0] >= size[0] {
        next_row(at, size);
    }
}

#[cold]
fn next_row(at: &mut [u32; 3], size: &[u32; 3]) {
    at[0] = 0;
    at[1] += 1;
    if at[1] >= size[1] {
        at[1] = 0;
        at[2] += 1;
    }
}
