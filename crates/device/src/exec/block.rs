//! One block on a worker: which of its threads run, wait or have exited.
//!
//! Threads are started in order of their linear index, each on the fiber that is free: while none waits, all run on one
//! fiber, one after the other. Which threads may go on is decided in one place, [`Block::next`].

use super::barrier::Barriers;
use super::fiber::{Fiber, Queue};
use super::grid::{FaultReport, GridCode};
use super::warp::Warps;
use super::window::Window;
use crate::memory::Memory;
use crate::profile::MULTIPROCESSORS;
use hotfire_jit::abi::{BlockContext, EntryKind};
use std::ptr;
use std::sync::Arc;

/// A block between its start and the exit of its last thread. Lives at one address: fibers point to it.
pub struct Block {
    /// What generated code sees.
    pub context: BlockContext,
    pub grid: Arc<GridCode>,
    /// The memory of the worker that runs the block.
    pub memory: *const Memory,
    pub index: u64,
    pub window: Window,
    pub threads: u32,
    /// The next thread to start.
    pub unstarted: u32,
    /// Threads that have not exited.
    pub live: u32,
    /// Fibers whose threads may go on.
    pub ready: Queue,
    /// Fibers whose threads let others run.
    pub yielded: Queue,
    /// Fibers whose threads ask who is active.
    pub asking: Queue,
    pub barriers: Barriers,
    pub warps: Warps,
    /// The fiber of each thread that suspended and has not exited, by linear index.
    pub fibers: Vec<*mut Fiber>,
    pub fault: Option<FaultReport>,
    /// What the waiting threads looked like when last looked at.
    pub likeness: u64,
    /// They have not changed since the look before.
    pub unchanged: bool,
}

impl Block {
    /// Block `index` of a grid, with `window` for its shared memory.
    pub fn new(grid: Arc<GridCode>, memory: &Memory, index: u64, window: Window) -> Self {
        let total_shared = grid.kernel.static_shared + grid.dynamic_shared;
        let threads = grid.threads();
        let waits = matches!(grid.kernel.entry, EntryKind::Thread(_));
        let context = BlockContext {
            ntid: grid.block,
            ctaid: grid.coordinates(index),
            nctaid: grid.grid,
            dynamic_shared: grid.dynamic_shared,
            total_shared,
            smid: (index % u64::from(MULTIPROCESSORS)) as u32,
            nsmid: MULTIPROCESSORS,
            cluster_ctaid: [0; 3],
            cluster_nctaid: [1; 3],
            gridid: grid.gridid,
            shared: window.base as *mut u8,
            parameters: grid.parameters,
            device: ptr::null_mut(),
            current_graph: 0,
        };
        Self {
            context,
            memory,
            index,
            window,
            threads,
            unstarted: 0,
            live: threads,
            ready: Queue::new(),
            yielded: Queue::new(),
            asking: Queue::new(),
            barriers: Barriers::new(),
            warps: Warps::new(threads),
            fibers: if waits { vec![ptr::null_mut(); threads as usize] } else { Vec::new() },
            fault: None,
            likeness: 0,
            unchanged: false,
            grid,
        }
    }

    /// The grid of a block that may be running.
    ///
    /// # Safety
    /// The block is live.
    pub unsafe fn code<'a>(block: *const Self) -> &'a GridCode {
        // SAFETY: the caller's promise; the block keeps its grid, and never changes it.
        unsafe { &*Arc::as_ptr(&(*block).grid) }
    }

    /// Becomes another block of the same grid, after the last one has finished.
    pub fn restart(&mut self, index: u64) {
        debug_assert_eq!(self.live, 0);
        self.context.ctaid = self.grid.coordinates(index);
        self.context.smid = (index % u64::from(MULTIPROCESSORS)) as u32;
        self.index = index;
        self.unstarted = 0;
        self.live = self.threads;
        self.warps.restart(self.threads);
        self.likeness = 0;
        self.unchanged = false;
    }

    /// Answers the threads that ask who is active, once nobody else can go on: those of one warp that ask at the same place are.
    /// False if none asks.
    pub fn answer(&mut self) -> bool {
        if self.asking.len() == 0 {
            return false;
        }
        // SAFETY: members of the queue are live and suspended.
        unsafe {
            let place = |fiber: *mut Fiber| ((*fiber).context.linear / 32, (*fiber).active_site);
            for fiber in self.asking.iter() {
                let together = self.asking.iter().filter(|&other| place(other) == place(fiber));
                (*fiber).result = together.map(|other| 1u64 << ((*other).context.linear % 32)).sum();
            }
        }
        self.ready.append(&mut self.asking);
        true
    }

    /// Looks whether the threads that let others run have moved since the last look: their stacks, registers included, tell.
    /// What they store they may store for ever; a loop whose state does not change leaves only by what others do.
    pub fn look(&mut self) {
        let mut hash = u64::from(self.live);
        for fiber in self.yielded.iter() {
            // SAFETY: the fiber is suspended, and its stack lies between the mark and itself; below the mark lies what the switch saved.
            unsafe {
                let start = ((*fiber).at & !7).saturating_sub(256).max(Fiber::stack(fiber).start);
                let words = std::slice::from_raw_parts(start as *const u64, (fiber as u64 - start) as usize / 8);
                for &word in words {
                    hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
                }
            }
        }
        self.unchanged = hash == self.likeness;
        self.likeness = hash;
    }

    /// Coordinates of a thread.
    pub fn thread(&self, linear: u32) -> [u32; 3] {
        let [x, y, _] = self.grid.block;
        [linear % x, linear / x % y, linear / (x * y)]
    }

    /// Remembers that a thread waits on this fiber.
    ///
    /// # Safety
    /// `fiber` runs a thread of this block.
    pub unsafe fn know(&mut self, fiber: *mut Fiber) {
        // SAFETY: the fiber is live.
        unsafe {
            if !(*fiber).known {
                (*fiber).known = true;
                self.fibers[(*fiber).context.linear as usize] = fiber;
            }
        }
    }

    /// A thread has exited: barriers and collectives no longer wait for it.
    ///
    /// # Safety
    /// `fiber` ran that thread.
    pub unsafe fn exited(&mut self, fiber: *mut Fiber) {
        // SAFETY: the fiber is live.
        let linear = unsafe {
            let linear = (*fiber).context.linear;
            if (*fiber).known {
                (*fiber).known = false;
                self.fibers[linear as usize] = ptr::null_mut();
            }
            linear
        };
        self.live -= 1;
        self.unchanged = false;
        self.barriers.thread_exited(self.live, &mut self.ready);
        self.warps.thread_exited(linear, &self.fibers, &mut self.ready);
    }
}

/// Runs the threads of a block that were not started, until none is left. Returns on the fiber that it was called on, which may have
/// been suspended in between.
///
/// # Safety
/// Runs on `fiber`, for a live block that nobody has borrowed.
pub unsafe fn run_threads(fiber: *mut Fiber, block: *mut Block) {
    // SAFETY: the worker that resumed the fiber lends the block until the fiber suspends; no reference to it is held across the call of
    // generated code.
    unsafe {
        (*fiber).block = block;
        let context = &raw mut (*fiber).context;
        (*context).block = &raw const (*block).context;
        match Block::code(block).kernel.entry {
            EntryKind::Thread(entry) => {
                while (*block).unstarted < (*block).threads {
                    let linear = (*block).unstarted;
                    (*block).unstarted += 1;
                    (*context).tid = (*block).thread(linear);
                    (*context).linear = linear;
                    (*context).last_error = 0;
                    entry(context);
                    (*block).exited(fiber);
                }
            }
            EntryKind::Loop(entry) => {
                if (*block).unstarted == 0 {
                    (*block).unstarted = (*block).threads;
                    (*context).last_error = 0;
                    entry(context, 0, (*block).threads);
                    (*block).live = 0;
                }
            }
            // No kernel; the engine never runs one.
            EntryKind::Function(_) => (*block).live = 0,
        }
    }
}

/// Owns a parked block.
#[derive(Debug)]
pub struct BlockHandle(pub(super) ptr::NonNull<Block>);

// SAFETY: a parked block runs on no worker, and nothing in it belongs to a host thread.
unsafe impl Send for BlockHandle {}

impl BlockHandle {
    fn block(&self) -> &Block {
        // SAFETY: the handle owns the block.
        unsafe { self.0.as_ref() }
    }

    /// Every thread waits for others of the block that will not come.
    pub fn stuck(&self) -> bool {
        let block = self.block();
        block.live > 0 && block.yielded.len() == 0 && block.ready.len() == 0
    }

    /// Every thread that could go on looks as it did before.
    pub fn unchanged(&self) -> bool {
        self.block().unchanged
    }

    /// Linear index.
    pub fn index(&self) -> u64 {
        self.block().index
    }

    /// Its grid.
    pub fn grid(&self) -> &Arc<GridCode> {
        &self.block().grid
    }

    /// Gives the block away.
    pub(super) fn into_raw(self) -> *mut Block {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }
}

impl Drop for BlockHandle {
    fn drop(&mut self) {
        // SAFETY: the handle owns the block, and no thread of it runs.
        unsafe { super::worker::abandon(Box::from_raw(self.0.as_ptr())) };
    }
}
