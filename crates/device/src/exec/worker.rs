//! A worker: the thread of the host that runs blocks.

use super::grid::{GridCode, Outcome, ParkedBlock};
use crate::memory::Memory;
use std::io;
use std::sync::Arc;

/// Runs blocks, one at a time, on the host thread that created it (it is not `Send`).
#[derive(Debug)]
pub struct Worker {
    memory: Arc<Memory>,
    here: std::marker::PhantomData<*mut ()>,
}

impl Worker {
    /// Prepares the calling host thread to run blocks: alternate signal stack, all signals but those of faults blocked, and,
    /// once in the process, the handlers that turn a fault in device code into an [`Outcome::Fault`].
    ///
    /// # Errors
    /// The operating system's, when address space or signal stacks are refused.
    pub fn new(memory: Arc<Memory>) -> io::Result<Worker> {
        Ok(Worker { memory, here: std::marker::PhantomData })
    }

    /// Runs block `block` (linear index) of a grid until it finishes or can only wait.
    pub fn run(&mut self, grid: &Arc<GridCode>, block: u64) -> Outcome {
        let _ = (&self.memory, self.here, grid, block);
        unimplemented!()
    }

    /// Runs blocks `first .. first + count` in order, until one does not finish. Returns how many finished, and the outcome
    /// of the next one (`Finished` if there is none).
    pub fn run_range(&mut self, grid: &Arc<GridCode>, first: u64, count: u64) -> (u64, Outcome) {
        let _ = (grid, first, count);
        unimplemented!()
    }

    /// Goes on with a parked block.
    pub fn resume(&mut self, block: ParkedBlock) -> Outcome {
        let _ = block;
        unimplemented!()
    }
}
