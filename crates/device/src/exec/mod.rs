//! Running blocks.
//!
//! A CUDA thread is a coroutine that generated code runs on; a block is a set of them with barriers, warp collectives and a
//! shared window, driven by one worker at a time until all exited, one faulted, or all only wait.

mod active;
mod barrier;
mod block;
mod chain;
mod checked;
mod cluster;
mod collective;
mod context;
mod costs;
mod dependency;
mod fiber;
mod grid;
mod inspect;
mod mbarrier;
mod meet;
mod observer;
mod parked;
mod permutation;
mod poll;
mod region;
mod runtime;
mod signal;
mod spin;
mod stack;
mod switch;
mod texel;
mod thread;
mod told;
mod warp;
mod window;
mod worker;

pub(crate) use chain::{Frame as SignalFrame, TRAPS};
pub use checked::{caller, checks, is_shared, order, stores};
pub use cluster::Clusters;
pub use context::{
    block_index, exit, fault, give_way, has_triggered, local, memory, on_worker_stack, owner, spins, yield_now,
};
pub use costs::Costs;
pub use dependency::Dependency;
pub use grid::{FaultReport, GridCode, Outcome, ParkedBlock, coordinates};
pub use inspect::{WaitingThread, WaitsAt};
pub use observer::{Observer, ThreadAt};
pub use permutation::{draw, permuted};
pub use runtime::{is_private, runtime, shared_offset};
pub use told::{checks as outcome_checks, is_told, learn, stored as told_stored};
pub use worker::Worker;

/// Makes the process's signal handlers those that a watch over host memory needs, again if somebody replaced them.
pub(crate) fn install_handlers() {
    chain::install(&chain::TRAPS);
}

#[cfg(test)]
mod tests;
