//! What a worker may take next: blocks that have room, blocks that were parked, operations; and when looking again at what only spins
//! is no use.

use super::{State, Task};
use crate::engine::grid::{CAPACITY, Grid};
use crate::exec::ParkedBlock;
use crate::profile::RESIDENT_GRIDS;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Rounds over all spinning blocks without any change after which the workers begin to rest.
const ROUNDS: u64 = 64;
/// The shortest and the longest rest. The longest bounds how late a spinning block sees what the host wrote.
const PAUSES: [Duration; 2] = [Duration::from_micros(200), Duration::from_millis(5)];
/// A rest is so many times as long as the round before it: spinning blocks cost that little.
const REST: u32 = 15;

impl State {
    /// Keeps a block that could only wait.
    pub fn park(&mut self, grid: &Grid, block: ParkedBlock) {
        self.resident += grid.cost_of_one();
        if grid.parked.fetch_add(1, Ordering::Relaxed) == 0 {
            self.resident_grids += 1;
        }
        if block.stuck() {
            self.stuck.push(block);
        } else if !block.depends() {
            self.parked.push_back(block);
        } else if let Some(block) = self.rest(grid, block) {
            self.parked.push_back(block);
        }
    }

    /// A worker goes with a task: the block that it runs keeps its room.
    pub fn pick_up(&mut self, worker: usize, task: &Task) {
        let cost = match task {
            Task::Blocks(grid) => grid.cost_of_one(),
            // SAFETY: the block has not exited.
            Task::Resume(block) => unsafe { Grid::from_owner(block.grid().owner) }.cost_of_one(),
            Task::Operation(..) => 0,
        };
        if worker >= self.in_hands.len() {
            self.in_hands.resize(worker + 1, 0);
        }
        self.in_hands[worker] = cost;
        self.resident += cost;
    }

    /// A worker is back from its task.
    pub fn put_down(&mut self, worker: usize) {
        self.resident -= self.in_hands.get_mut(worker).map_or(0, std::mem::take);
    }

    /// A parked block is going to run, or is dropped.
    pub(in crate::engine) fn unpark(&mut self, grid: &Grid) {
        self.resident -= grid.cost_of_one();
        if grid.parked.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.resident_grids -= 1;
        }
    }

    /// The grid at the front that may hand out a block.
    pub(in crate::engine) fn ready_grid(&mut self) -> Option<Arc<Grid>> {
        let mut at = 0;
        loop {
            let grid = self.ready.get(at)?.clone();
            if grid.exhausted() {
                self.ready.remove(at);
            } else if self.may_rest(&grid) && self.fits(&grid) {
                return Some(grid);
            } else if grid.is_independent() {
                return None;
            } else {
                // What it depends on may stand behind it.
                at += 1;
            }
        }
    }

    /// Whether there is room for a block of the grid.
    fn fits(&mut self, grid: &Grid) -> bool {
        if grid.together.load(Ordering::Relaxed) || grid.is_inside_cluster() {
            return true;
        }
        // A cooperative launch takes the room for all its blocks at once, or none.
        let cost = if grid.workspace.is_some() { grid.cost * grid.code.blocks() } else { grid.cost };
        let fits = self.resident + cost <= CAPACITY
            && (self.resident_grids < RESIDENT_GRIDS || grid.parked.load(Ordering::Relaxed) > 0);
        if fits && grid.workspace.is_some() {
            grid.together.store(true, Ordering::Relaxed);
            self.resident += cost;
        }
        fits
    }

    /// Whether a worker would find something to do.
    pub fn has_work(&mut self) -> bool {
        !self.parked.is_empty() || self.has_fresh_work()
    }

    /// Whether what a worker could do is something else than looking again at blocks that spin.
    pub fn has_fresh_work(&mut self) -> bool {
        !self.operations.is_empty() || self.ready_grid().is_some()
    }

    /// Whether something waits that should not wait for the end of a long grid.
    pub fn interrupts(&self) -> bool {
        !self.operations.is_empty() || !self.parked.is_empty()
    }

    /// True when all that is left are blocks that spin, and looking at them again and again has changed nothing.
    pub fn patient(&self) -> bool {
        self.fruitless > ROUNDS * self.parked.len() as u64
    }

    /// Something changed other than a thread in a loop.
    pub fn restructured(&mut self) {
        self.structure += 1;
        self.barren = 0;
        self.progressed();
    }

    /// Something changed: spinning blocks may go on.
    pub fn progressed(&mut self) {
        self.fruitless = 0;
        self.idle = 0;
        self.watcher = None;
        self.round = None;
    }

    /// Whether some other worker looks after the spinning blocks, which is enough while nothing changes.
    pub fn watched_by_other(&mut self, worker: usize) -> bool {
        if !self.patient() || (self.parked.is_empty() && self.watcher.is_none()) || self.has_fresh_work() {
            return false;
        }
        *self.watcher.get_or_insert(worker) != worker
    }

    /// How long to rest before looking at spinning blocks again, once all of them were looked at. They may wait for the host, so they
    /// are never given up.
    pub fn pause(&mut self) -> Option<Duration> {
        let blocks = self.parked.len() as u64;
        if blocks == 0 || !self.patient() || !self.fruitless.is_multiple_of(blocks) || self.has_fresh_work() {
            return None;
        }
        let round = self.round.map_or(Duration::ZERO, |began| began.elapsed());
        let share = REST.min((self.fruitless / blocks - ROUNDS) as u32);
        Some((round * share).clamp(PAUSES[0], PAUSES[1]))
    }

    /// The next thing to do. `turn` alternates between new blocks and parked ones, so that neither starves the other.
    pub fn take(&mut self, turn: &mut bool) -> Option<Task> {
        if let Some((item, operation)) = self.operations.pop_front() {
            return Some(Task::Operation(item, operation));
        }
        *turn = !*turn;
        if *turn && let Some(task) = self.take_blocks() {
            return Some(task);
        }
        if let Some(block) = self.parked.pop_front() {
            let owner = block.grid().owner;
            // SAFETY: the block has not exited.
            self.unpark(unsafe { Grid::from_owner(owner) });
            return Some(Task::Resume(block));
        }
        self.take_blocks()
    }

    /// Blocks of the grid at the front. One that has a single block left is gone from there at once: other workers would look at it in
    /// vain, which makes chains of small grids slow.
    fn take_blocks(&mut self) -> Option<Task> {
        let grid = self.ready_grid()?;
        if grid.remaining() <= 1
            && let Some(at) = self.ready.iter().position(|other| Arc::ptr_eq(other, &grid))
        {
            self.ready.remove(at);
        }
        Some(Task::Blocks(grid))
    }
}
