//! A worker: the thread of the host that runs blocks.

use super::block::{Block, BlockHandle};
use super::fiber::{Fiber, Stop};
use super::grid::{FaultReport, GridCode, Outcome, ParkedBlock};
use super::region::Regions;
use super::stack::{CLASSES, class_for};
use super::{region, signal};
use crate::memory::Memory;
use hotfire_jit::abi::Fault;
use std::io;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Rounds over threads that let others run between two looks at them.
const ROUNDS: u32 = 16;
/// How long a block whose threads only let each other run keeps a worker.
const SLICE: Duration = Duration::from_millis(1);
/// Switches between two looks at the grid's `cancel` flag.
const SWITCHES: u32 = 1024;
/// Idle fibers of one class that a worker keeps for itself, and takes at once.
const KEPT: usize = 64;

/// Runs blocks, one at a time, on the host thread that created it (it is not `Send`).
#[derive(Debug)]
pub struct Worker {
    regions: &'static Regions,
    idle: [Vec<*mut Fiber>; CLASSES],
    memory: Arc<Memory>,
}

impl Worker {
    /// Prepares the calling host thread to run blocks: alternate signal stack, all signals but those of faults blocked, and,
    /// once in the process, the handlers that turn a fault in device code into an [`Outcome::Fault`].
    ///
    /// # Errors
    /// The operating system's, when address space or signal stacks are refused.
    pub fn new(memory: Arc<Memory>) -> io::Result<Worker> {
        let regions = region::get()?;
        signal::prepare_thread()?;
        Ok(Worker { regions, idle: Default::default(), memory })
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
        let window = match self.regions.windows.take(grid.kernel.static_shared + grid.dynamic_shared) {
            Ok(window) => window,
            Err(error) => return (0, no_room(grid, first, &error)),
        };
        let block = Box::into_raw(Box::new(Block::new(grid.clone(), &self.memory, first, window)));
        let mut finished = 0;
        loop {
            // SAFETY: the block was made above and is ours.
            if let Some(outcome) = unsafe { self.drive(block) } {
                return (finished, outcome);
            }
            finished += 1;
            if finished == count {
                // SAFETY: as above; it has finished, so no fiber works for it.
                unsafe { abandon(Box::from_raw(block)) };
                return (finished, Outcome::Finished);
            }
            // SAFETY: as above.
            unsafe { (*block).restart(first + finished) };
        }
    }

    /// Goes on with a parked block.
    pub fn resume(&mut self, block: ParkedBlock) -> Outcome {
        let block = block.0.into_raw();
        // SAFETY: the handle owned the block, and gave it up.
        unsafe {
            self.drive(block).unwrap_or_else(|| {
                abandon(Box::from_raw(block));
                Outcome::Finished
            })
        }
    }

    /// Runs a block's threads until all have exited (`None`: the block is the caller's to reuse or free), or the block is given
    /// away or gone.
    ///
    /// # Safety
    /// `block` came from `Box::into_raw`, and nothing else uses it.
    unsafe fn drive(&mut self, block: *mut Block) -> Option<Outcome> {
        // SAFETY: the caller's promise. No reference into the block is held while a fiber runs.
        unsafe {
            let code = Block::code(block);
            let kernel = &code.kernel;
            let bytes = if kernel.unbounded_stack { code.stack_limit.max(kernel.stack) } else { kernel.stack };
            let class = class_for(u64::from(bytes));
            let (mut rounds, mut switches) = (0u32, 0u32);
            let mut begun = None;
            loop {
                let fiber = match (*block).ready.pop() {
                    Some(fiber) => fiber,
                    None if (*block).unstarted < (*block).threads => match self.idle_fiber(class) {
                        Ok(fiber) => fiber,
                        Err(error) => {
                            let outcome = no_room(code, (*block).index, &error);
                            abandon(Box::from_raw(block));
                            return Some(outcome);
                        }
                    },
                    None if (*block).answer() => continue,
                    None if (*block).live == 0 => return None,
                    None if (*block).yielded.len() == 0 => return Some(park(block)),
                    None => {
                        rounds += 1;
                        if rounds.is_multiple_of(ROUNDS) {
                            (*block).look();
                            let since = *begun.get_or_insert_with(Instant::now);
                            if (*block).unchanged || since.elapsed() > SLICE {
                                return Some(park(block));
                            }
                        }
                        if code.cancel.load(Ordering::Relaxed) {
                            abandon(Box::from_raw(block));
                            return Some(Outcome::Cancelled);
                        }
                        let block = &mut *block;
                        block.ready.append(&mut block.yielded);
                        continue;
                    }
                };
                switches += 1;
                if switches.is_multiple_of(SWITCHES) && code.cancel.load(Ordering::Relaxed) {
                    // The fiber at hand is in no queue, but known if it holds a thread.
                    if !(*fiber).known {
                        self.idle[class].push(fiber);
                    }
                    abandon(Box::from_raw(block));
                    return Some(Outcome::Cancelled);
                }
                match Fiber::resume(fiber, block) {
                    Stop::Wait => {}
                    Stop::Idle => self.keep(fiber),
                    Stop::Exit => {
                        (*block).exited(fiber);
                        Fiber::reset(fiber);
                        self.keep(fiber);
                    }
                    Stop::Fault => return Some(self.fault(block, fiber)),
                }
            }
        }
    }

    /// The thread on `fiber` faulted: the block is over.
    unsafe fn fault(&mut self, block: *mut Block, fiber: *mut Fiber) -> Outcome {
        // SAFETY: the caller owns the block; the fiber is suspended for good.
        unsafe {
            if !(*fiber).known {
                Fiber::reset(fiber);
                self.keep(fiber);
            }
            let mut block = Box::from_raw(block);
            let report = block.fault.take();
            abandon(block);
            Outcome::Fault(report.expect("a thread that stops with a fault has reported it"))
        }
    }

    fn idle_fiber(&mut self, class: usize) -> io::Result<*mut Fiber> {
        if self.idle[class].is_empty() {
            self.regions.stacks.take(class, KEPT, &mut self.idle[class])?;
        }
        self.idle[class].pop().ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// Keeps an idle fiber; many go back to the others.
    unsafe fn keep(&mut self, fiber: *mut Fiber) {
        // SAFETY: the fiber is live.
        let class = unsafe { (*fiber).class } as usize;
        let idle = &mut self.idle[class];
        idle.push(fiber);
        if idle.len() > 20 * KEPT {
            self.regions.stacks.give(class, idle.drain(..10 * KEPT));
        }
    }
}

unsafe fn park(block: *mut Block) -> Outcome {
    // SAFETY: it came from a box.
    Outcome::Parked(ParkedBlock(BlockHandle(unsafe { NonNull::new_unchecked(block) })))
}

fn no_room(grid: &GridCode, block: u64, error: &io::Error) -> Outcome {
    eprintln!("hotfire: no room for a block's threads or shared memory: {error}");
    let block = grid.coordinates(block);
    Outcome::Fault(FaultReport { fault: Fault::LaunchFailure, address: 0, block, thread: [0; 3], location: None })
}

/// Ends a block: whatever its threads were at is forgotten.
///
/// # Safety
/// No thread of the block runs.
pub(super) unsafe fn abandon(block: Box<Block>) {
    let Some(regions) = region::existing() else { return };
    for &fiber in block.fibers.iter().filter(|fiber| !fiber.is_null()) {
        // SAFETY: fibers in the table are live and suspended, and generated frames own nothing.
        unsafe {
            Fiber::reset(fiber);
            regions.stacks.give((*fiber).class as usize, std::iter::once(fiber));
        }
    }
    regions.windows.give(block.window);
}
