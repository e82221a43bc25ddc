//! A look into a parked block: which of its threads waits for what, and where.

use super::barrier::{bits, thread_at};
use super::block::{Block, LANES};
use super::fiber::Fiber;
use super::grid::ParkedBlock;
use hotfire_ptx::ast::Location;

/// What a suspended thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitsAt {
    /// It let others run, in a loop or by `nanosleep`.
    Loop,
    /// `bar`/`barrier` of that number.
    Barrier(u32),
    /// `barrier.cluster`
    Cluster,
    /// `griddepcontrol.wait`
    Dependency,
    /// A warp collective: `bar.warp.sync`, `shfl.sync` and their like.
    Collective,
}

/// A suspended thread.
#[derive(Clone, Copy, Debug)]
pub struct WaitingThread {
    /// `%tid`
    pub thread: [u32; 3],
    /// What it waits for.
    pub at: WaitsAt,
    /// The place in the PTX text, if known.
    pub location: Option<Location>,
    /// How often in a row it let others run without having changed.
    pub spins: u32,
    /// What it reads again and again, if the run is checked: address and size.
    pub polls: Option<(u64, u32)>,
}

impl ParkedBlock {
    /// All threads that have not exited, by index.
    pub fn waiting(&self) -> Vec<WaitingThread> {
        self.0.inspect(Block::waiting)
    }

    /// The bytes of the block's shared memory.
    pub fn shared(&self) -> std::ops::Range<u64> {
        self.0.inspect(|block| block.window.base..block.window.base + block.window.open)
    }
}

impl Block {
    fn waiting(&self) -> Vec<WaitingThread> {
        let known = |(linear, &fiber): (usize, &*mut Fiber)| (!fiber.is_null()).then_some((linear, fiber));
        let threads = self.lanes[..self.threads as usize].iter().enumerate().filter_map(known);
        threads.map(|(linear, fiber)| self.waiting_thread(linear, fiber)).collect()
    }

    fn waiting_thread(&self, linear: usize, fiber: *mut Fiber) -> WaitingThread {
        let at = if self.warps[linear / LANES].waiting(linear % LANES) {
            WaitsAt::Collective
        } else if self.depending.iter().any(|depends| depends == fiber) {
            WaitsAt::Dependency
        } else {
            // SAFETY: as below.
            let other = if unsafe { (*fiber).at_cluster } { WaitsAt::Cluster } else { WaitsAt::Loop };
            self.barrier_of(fiber).map_or(other, WaitsAt::Barrier)
        };
        // SAFETY: fibers on the table are suspended while nobody drives the block.
        let (frames, spins, polls) = unsafe { (Fiber::frames(fiber), (*fiber).spins, (*fiber).polls.now()) };
        WaitingThread {
            thread: thread_at(linear as u32, self.context.ntid),
            at,
            location: innermost(frames),
            spins,
            polls,
        }
    }

    /// Why nobody could go on until lanes of one warp parted at a barrier with a thread count: the barrier, a lane that waits there,
    /// and one that does not.
    pub fn parted(&self) -> Option<(u32, WaitingThread, WaitingThread)> {
        let (id, here, missing) = self.partial()?;
        let thread = |linear: u32| {
            let fiber = self.lanes[linear as usize];
            (!fiber.is_null()).then(|| self.waiting_thread(linear as usize, fiber))
        };
        Some((id as u32, thread(here)?, thread(missing)?))
    }
}

impl super::warp::Warp {
    /// Whether a lane waits at a collective.
    fn waiting(&self, lane: usize) -> bool {
        self.arrived().flat_map(bits).any(|waiting| waiting == lane)
    }
}

/// The innermost frame of generated code: the first return address into it.
fn innermost(frames: &[u64]) -> Option<Location> {
    // What returns there was called by the instruction before.
    frames.iter().find_map(|&word| hotfire_jit::find(word as usize - usize::from(word > 0))?.location)
}
