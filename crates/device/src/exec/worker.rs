//! A worker: the thread of the host that runs blocks.

use super::block::Block;
use super::fiber::{Fiber, Stop};
use super::grid::{FaultReport, GridCode, Outcome, ParkedBlock};
use super::parked::{BlockHandle, Rest};
use super::region::{self, Regions};
use super::signal::ThreadSignals;
use super::stack::CLASSES;
use crate::memory::Memory;
use hotfire_jit::abi::Fault;
use std::io;
use std::sync::Arc;

/// Rounds over threads that only let each other run before the block must let others run, too. One whose threads did not
/// change at all in a round does so at once.
const ROUNDS: u32 = 16;
/// Idle fibers of one class that a worker takes at once.
const BATCH: usize = 64;
/// Idle fibers of one class that a worker keeps: more than a block has threads.
const KEPT: usize = 20 * BATCH;
/// Blocks that a worker keeps for reuse.
const BLOCKS: usize = 32;

/// Runs blocks, one at a time, on the host thread that created it (it is not `Send`). Which thread runs when depends on nothing
/// but the program and the order of calls.
#[derive(Debug)]
pub struct Worker {
    regions: &'static Regions,
    memory: Arc<Memory>,
    idle: [Vec<*mut Fiber>; CLASSES],
    blocks: Vec<Box<Block>>,
    _signals: ThreadSignals,
}

/// How driving a block ended.
enum Turn {
    Finished,
    Parked(Rest),
    Fault(FaultReport),
    Cancelled,
}

impl Worker {
    /// Prepares the calling host thread to run blocks: alternate signal stack, all signals but those of faults blocked, and,
    /// once in the process, the handlers that turn a fault in device code into an [`Outcome::Fault`]. Faults of host code go
    /// to the handlers that were there before. A program that installs a handler of its own for SIGSEGV, SIGBUS, SIGILL or SIGFPE
    /// *later* takes faults of device code away from the device: its handler sees them, as it would see those of any library.
    ///
    /// # Errors
    /// The operating system's, when address space or signal stacks are refused.
    pub fn new(memory: Arc<Memory>) -> io::Result<Worker> {
        let regions = region::get()?;
        let _signals = ThreadSignals::new()?;
        Ok(Worker { regions, memory, idle: Default::default(), blocks: Vec::new(), _signals })
    }

    /// Runs block `block` (linear index) of a grid until it finishes or can only wait.
    pub fn run(&mut self, grid: &Arc<GridCode>, block: u64) -> Outcome {
        self.run_range(grid, block, 1).1
    }

    /// Runs blocks `first .. first + count` in order, until one does not finish. Returns how many finished, and the outcome
    /// of the next one (`Finished` if there is none).
    pub fn run_range(&mut self, grid: &Arc<GridCode>, first: u64, count: u64) -> (u64, Outcome) {
        if count == 0 {
            return (0, Outcome::Finished);
        }
        let mut block = self.blocks.pop().unwrap_or_else(|| Block::new(self.memory.clone(), self.regions));
        let end = first + count;
        if let Err(error) = block.set(grid, first, end, self.regions) {
            self.blocks.push(block);
            return (0, Outcome::Fault(no_room(grid.coordinates(first), &error)));
        }
        loop {
            let turn = self.drive(&mut block);
            let index = block.index;
            if let Turn::Finished = turn {
                if block.advance() {
                    continue;
                }
                self.reuse(block);
                let rest = if index + 1 < end { Outcome::Cancelled } else { Outcome::Finished };
                return (index + 1 - first, rest);
            }
            if let Turn::Parked(_) = turn {
                block.keep = Some(grid.clone());
                block.end = index + 1;
            }
            return (index - first, self.outcome(block, turn));
        }
    }

    /// Goes on with a parked block.
    pub fn resume(&mut self, block: ParkedBlock) -> Outcome {
        let mut block = block.0.into_block();
        let turn = self.drive(&mut block);
        self.outcome(block, turn)
    }

    fn outcome(&mut self, block: Box<Block>, turn: Turn) -> Outcome {
        if let Turn::Parked(rest) = turn {
            return Outcome::Parked(ParkedBlock(BlockHandle::new(block, rest)));
        }
        self.reuse(block);
        match turn {
            Turn::Fault(report) => Outcome::Fault(report),
            Turn::Cancelled => Outcome::Cancelled,
            Turn::Finished | Turn::Parked(_) => Outcome::Finished,
        }
    }

    fn reuse(&mut self, mut block: Box<Block>) {
        block.keep = None;
        block.leave_cluster();
        if self.blocks.len() < BLOCKS {
            self.blocks.push(block);
        }
    }

    /// Runs a block's threads until all have exited or none can go on. Ready threads come before new ones (which keeps few
    /// stacks in use), those that let others run come last.
    fn drive(&mut self, block: &mut Block) -> Turn {
        let block = std::ptr::from_mut(block);
        // SAFETY: the block is ours until we return. Fibers reach it through pointers made from this one, and no reference to it is
        // held while one runs.
        unsafe {
            (*block).rounds = 0;
            loop {
                if (*block).cancelled() {
                    self.abandon(block);
                    return Turn::Cancelled;
                }
                if std::mem::take(&mut (*block).pauses) {
                    return Turn::Parked(Rest::Yields);
                }
                let fiber = if let Some(fiber) = (*block).ready.pop() {
                    fiber
                } else if (*block).unstarted() {
                    match self.idle_fiber((*block).class) {
                        Ok(fiber) => fiber,
                        Err(error) => {
                            self.abandon(block);
                            return Turn::Fault(no_room((*block).context.ctaid, &error));
                        }
                    }
                } else if (*block).answer() {
                    continue;
                } else if (*block).live == 0 {
                    (*block).trigger_at_exit();
                    (*block).tell_costs();
                    return Turn::Finished;
                } else if (*block).depend_no_more() || (*block).go_on() || (*block).turn_round(ROUNDS) {
                    continue;
                } else if (*block).ready.len() > 0 {
                    return Turn::Parked(Rest::Yields);
                } else if (*block).depending.len() > 0 {
                    return Turn::Parked(Rest::Depends);
                } else if (*block).release_partial_observed() {
                    continue;
                } else {
                    return Turn::Parked(Rest::Stuck);
                };
                match Fiber::resume(fiber, block) {
                    Stop::Wait => {}
                    Stop::Idle => self.keep(fiber),
                    Stop::Exit => {
                        Fiber::reset(fiber);
                        self.keep(fiber);
                    }
                    Stop::Fault => {
                        if !(*fiber).known {
                            Fiber::reset(fiber);
                            self.keep(fiber);
                        }
                        let report = (*block).fault.take();
                        self.abandon(block);
                        return Turn::Fault(report.expect("a thread that stops with a fault has reported it"));
                    }
                }
            }
        }
    }

    /// Forgets the threads of a block.
    ///
    /// # Safety
    /// The block is live and none of its threads runs.
    unsafe fn abandon(&mut self, block: *mut Block) {
        // SAFETY: the caller's promise.
        unsafe { (*block).abandon(|fiber| self.keep(fiber)) };
    }

    fn idle_fiber(&mut self, class: usize) -> io::Result<*mut Fiber> {
        if self.idle[class].is_empty() {
            self.regions.stacks.take(class, BATCH, &mut self.idle[class])?;
        }
        self.idle[class].pop().ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// Keeps an idle fiber; when there are many, half go back to the others.
    ///
    /// # Safety
    /// The fiber is live and idle.
    unsafe fn keep(&mut self, fiber: *mut Fiber) {
        // SAFETY: the caller's promise.
        let class = unsafe { (*fiber).class } as usize;
        let idle = &mut self.idle[class];
        idle.push(fiber);
        if idle.len() > KEPT {
            self.regions.stacks.give(class, idle.drain(..KEPT / 2));
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        for (class, idle) in self.idle.iter_mut().enumerate() {
            self.regions.stacks.give(class, idle.drain(..));
        }
    }
}

fn no_room(block: [u32; 3], error: &io::Error) -> FaultReport {
    eprintln!("hotfire: no room for a block's threads or shared memory: {error}");
    FaultReport { fault: Fault::LaunchFailure, address: 0, block, thread: [0; 3], location: None }
}
