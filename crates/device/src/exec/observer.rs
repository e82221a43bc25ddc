//! What may watch running blocks: `hotfire check`.

use super::grid::GridCode;
use hotfire_ptx::ast::Location;

/// A thread of a block, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadAt {
    /// `%tid`
    pub thread: [u32; 3],
    /// The place in the PTX text, if known.
    pub location: Option<Location>,
}

/// Watches blocks, and gives them its time. Its methods run on the worker's stack, except the clocks and [`Observer::yielded`],
/// which run on the thread's own and must need little of it.
pub trait Observer: Sync {
    /// `%clock64`: one tick a nanosecond.
    fn clock(&self) -> u64;
    /// `%globaltimer`
    fn global_timer(&self) -> u64;
    /// A thread lets others run.
    fn yielded(&self);
    /// Two lanes of a warp are at different instructions of the same barrier, both `.aligned` (PTX ISA, `barrier`).
    fn divergent_barrier(&self, grid: &GridCode, block: [u32; 3], id: u32, first: ThreadAt, second: ThreadAt);
}

impl super::block::Block {
    /// As [`release_partial`](Self::release_partial); tells the observer first.
    pub fn release_partial_observed(&mut self) -> bool {
        // SAFETY: the worker drives the block, which was set.
        let code = unsafe { Self::code(self) };
        let parted = if code.observer.is_some() { self.parted() } else { None };
        let released = self.release_partial();
        if released && let (Some(observer), Some((id, first, second))) = (code.observer, parted) {
            let at = |thread: super::WaitingThread| ThreadAt { thread: thread.thread, location: thread.location };
            observer.divergent_barrier(code, self.context.ctaid, id, at(first), at(second));
        }
        released
    }
}
