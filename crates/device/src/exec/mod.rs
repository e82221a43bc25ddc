//! Running blocks.
//!
//! A CUDA thread is a coroutine that generated code runs on; a block is a set of them with barriers, warp collectives and a
//! shared window, driven by one worker at a time until all exited, one faulted, or all only wait.

mod block;
mod context;
mod grid;
mod worker;

pub use context::{block_index, exit, fault, memory, on_worker_stack, owner, yield_now};
pub use grid::{FaultReport, GridCode, Outcome, ParkedBlock};
pub use worker::Worker;

/// The functions that generated code calls; pass them to [`hotfire_jit::compile`].
pub fn runtime() -> hotfire_jit::abi::Runtime {
    unimplemented!()
}

/// Whether `address` lies in some block's shared window or some thread's local memory: such a pointer means nothing to another
/// grid (launch-model 3.4).
pub fn is_private(address: u64) -> bool {
    let _ = address;
    unimplemented!()
}
