//! Grids that start before what they depend on is complete (launch-model 4), as far as the engine decides.
//!
//! Their blocks take slots like any others. One whose threads wait for the prerequisites keeps its slot and rests until the model
//! says that these are complete. An early start is never promised: so that many large grids in a chain do not fill the host's memory with
//! suspended threads, no more than [`THREADS`] wait at a time; and a part of the device is kept from them, so that what the
//! prerequisites still have to start finds room (`progress/pdl-slots` judges programs by what hardware may do instead).

use super::Grid;
use super::grid::CAPACITY;
use super::state::State;
use crate::exec::ParkedBlock;
use hotfire_launch::{Early, Item};

/// Threads of resting blocks from which on no grid gets further blocks that could rest, too.
const THREADS: u64 = 1 << 15;

/// The part of the device that is kept from them is one in so many.
const KEPT: u64 = 8;

impl State {
    /// All blocks of a running grid have come so far; true if the block that was last should let others run first.
    pub fn reached(&mut self, item: Item, early: Early) -> bool {
        let awaited = self.model.has_dependents(item);
        // One that has loops that may wait should be seen waiting, perhaps for those that it lets start.
        let polls = self.grid(item).is_some_and(|grid| grid.code.kernel.polls);
        self.model.reached(item, early);
        awaited && !polls && self.pauses()
    }

    /// A grid was submitted, and may start before what it depends on is complete.
    pub fn attach_dependent(&mut self, grid: &Grid, item: Item) {
        if !self.model.is_tied(item) {
            return;
        }
        grid.code.dependency.set_independent(false);
        for &primary in self.model.primaries() {
            if let Some(primary) = self.grid(primary) {
                primary.code.dependency.set_pauses();
            }
        }
    }

    /// Whether a grid may hand out blocks although they may come to wait for other grids.
    pub(super) fn may_rest(&self, grid: &Grid) -> bool {
        let room = || self.resident + grid.cost <= CAPACITY - CAPACITY / KEPT;
        grid.is_independent() || grid.is_inside_cluster() || (self.depending_threads < THREADS && room())
    }

    /// Keeps a parked block whose threads wait for other grids; gives it back if these are complete by now.
    pub(super) fn rest(&mut self, grid: &Grid, block: ParkedBlock) -> Option<ParkedBlock> {
        if grid.is_independent() {
            return Some(block);
        }
        self.depending_threads += u64::from(grid.code.threads());
        self.depending.push(block);
        None
    }

    /// Lets the blocks go on whose prerequisites became complete.
    pub(super) fn untie(&mut self) {
        let untied: Vec<Item> = self.model.drain_untied().collect();
        for item in untied {
            let Some(grid) = self.grid(item) else { continue };
            let grid = grid.clone();
            grid.code.dependency.set_independent(true);
            let of_grid = |block: &mut ParkedBlock| block.grid().gridid == grid.code.gridid;
            let blocks: Vec<ParkedBlock> = self.depending.extract_if(.., of_grid).collect();
            if blocks.is_empty() {
                continue;
            }
            self.depending_threads -= u64::from(grid.code.threads()) * blocks.len() as u64;
            self.parked.extend(blocks);
            self.restructured();
        }
    }

    /// Whether a block whose trigger was the last lets those run first that may start now.
    fn pauses(&mut self) -> bool {
        match &mut self.slices {
            Some(slices) => slices.pauses(),
            None => *self.policy() != hotfire_launch::Policy::Latest,
        }
    }
}
