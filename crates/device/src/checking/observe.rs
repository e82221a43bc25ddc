//! The checker as an observer of running blocks.

use super::Checking;
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

    fn divergent_barrier(&self, _grid: &GridCode, _block: [u32; 3], _id: u32, _first: ThreadAt, _second: ThreadAt) {}
}
