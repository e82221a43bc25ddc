//! The checker as an observer of running blocks.

use super::Checking;
use crate::engine::Grid;
use crate::exec::{GridCode, Observer, ThreadAt};

impl Observer for Checking {
    fn clock(&self) -> u64 {
        self.time.look()
    }

    fn global_timer(&self) -> u64 {
        self.time.look_global()
    }

    fn yielded(&self) {
        self.time.yielded();
    }

    fn divergent_barrier(&self, grid: &GridCode, block: [u32; 3], id: u32, first: ThreadAt, second: ThreadAt) {
        // SAFETY: the grid has a block that runs.
        let grid = unsafe { Grid::from_owner(grid.owner) };
        self.divergent(grid, block, id, first, second);
    }
}
