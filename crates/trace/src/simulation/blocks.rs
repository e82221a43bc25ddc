//! Blocks on multiprocessors.
//!
//! A block has milestones (trigger, wait, launches, exit), in cycles of a machine that it has to itself. Blocks that run on one
//! multiprocessor together go on at their own pace as long as it can issue all their instructions and move all their bytes; beyond that, all
//! slow down alike; so they do when all multiprocessors together move more bytes than the caches or the memory (which is looked at when
//! something changes on the multiprocessor itself). A block that waits keeps its slot and slows nobody down. Blocks are handed out in order of their index, each to the
//! multiprocessor that is least full; a grid behind one that still has blocks to hand out waits.

use super::{Event, Milestones, Running, Simulation};
use crate::log::{BlockCost, Grid, Step};
use crate::timeline::BlockSpan;
use hotfire_launch::Early;
use hotfire_launch::recording::Command;

/// Cycles that most results take (`crates/jit/src/cost.rs`).
const CYCLES: f64 = 4.0;

/// Something that a block comes to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Milestone {
    Trigger,
    Wait,
    /// The step of the log.
    Command(usize),
    Exit,
}

struct Block {
    id: u64,
    grid: u64,
    /// Part of the multiprocessor that it takes.
    share: f64,
    /// Parts of the multiprocessor's issue slots and of its bandwidth, and of the bandwidth of all, that it uses at its own pace.
    load: [f64; 3],
    /// Cycles that are done.
    done: f64,
    /// What it comes to, the next last.
    milestones: Vec<(f64, Milestone)>,
    /// It neither waits nor is in a call.
    runs: bool,
    waits: bool,
    triggered: bool,
    /// Where in the timeline.
    span: usize,
}

#[derive(Default)]
pub(super) struct Multiprocessor {
    blocks: Vec<Block>,
    /// Part that is taken.
    taken: f64,
    /// Which slots are.
    slots: Vec<bool>,
    /// Until when `done` of the blocks counts.
    since: f64,
    /// What its blocks use of the bandwidth of all.
    used: f64,
    /// How much slower than at their own pace the blocks go.
    slow: f64,
    version: u64,
    next: u64,
}

impl Multiprocessor {
    /// Lets time pass.
    fn advance(&mut self, now: f64, clock: f64) {
        let cycles = (now - self.since) * clock / self.slow.max(1.0);
        self.since = now;
        self.blocks.iter_mut().filter(|block| block.runs).for_each(|block| block.done += cycles);
    }

    fn sum(&self, which: usize) -> f64 {
        self.blocks.iter().filter(|block| block.runs).map(|block| block.load[which]).sum()
    }

    /// Says when the next milestone is, after a change. `all` is how much of the bandwidth of all is used.
    fn plan(&mut self, clock: f64, all: f64) -> Option<(f64, u64)> {
        self.version += 1;
        self.slow = self.sum(0).max(self.sum(1)).max(1.0);
        if self.used > 0.0 {
            self.slow = self.slow.max(all);
        }
        let running = || self.blocks.iter().filter(|block| block.runs);
        let left = |block: &Block| block.milestones.last().map(|(at, _)| (at - block.done).max(0.0));
        let next = running().filter_map(left).fold(f64::INFINITY, f64::min);
        next.is_finite().then(|| (self.since + next * self.slow / clock, self.version))
    }
}

impl Simulation<'_> {
    /// Hands out blocks as long as there is room.
    pub(super) fn place(&mut self) {
        while let Some(&number) = self.queue.front() {
            let Some(grid) = self.log.grids.get(&number) else {
                self.queue.pop_front();
                continue;
            };
            let blocks: u64 = grid.costs.iter().map(|run| run.count).sum();
            let running = self.running.entry(number).or_insert_with(|| Running {
                next: 0,
                untriggered: blocks,
                unfinished: blocks,
                multiprocessors: Default::default(),
            });
            if running.next == 0 {
                if let Some(span) = self.timeline.grids.get_mut(&number) {
                    span.start = self.now;
                }
                if blocks == 0 {
                    self.note(format!("no block of a launch of {} has ended", grid.kernel));
                    self.queue.pop_front();
                    self.exited(number, 0);
                    continue;
                }
            }
            let first = running.next;
            let share = 1.0 / f64::from(grid.per_multiprocessor.max(1));
            let least = self.multiprocessors.iter().enumerate().min_by(|a, b| a.1.taken.total_cmp(&b.1.taken));
            let Some((at, _)) = least.filter(|(_, place)| place.taken + share <= 1.0 + 1e-9) else { return };
            if let Some(running) = self.running.get_mut(&number) {
                running.next += 1;
                running.multiprocessors.insert(at);
            }
            self.put(at, number, grid, first, share);
            if first + 1 == blocks {
                self.queue.pop_front();
                self.reached(number, Early::Begun);
                self.follow();
            }
        }
    }

    fn put(&mut self, at: usize, number: u64, grid: &Grid, index: u64, share: f64) {
        let cost = cost_of(grid, index);
        let machine = self.machine;
        let warps = f64::from(grid.threads().div_ceil(32));
        let per_thread = cost.instructions as f64 / f64::from(grid.threads().max(1));
        let from_memory = moved_by(grid) > machine.cache;
        let together = if from_memory { machine.memory_bandwidth } else { machine.cache_bandwidth };
        let stretch = if from_memory { stretch(&cost, per_thread, machine.memory_latency) } else { 1.0 };
        let mut milestones = self.milestones(number, index, &cost);
        milestones.iter_mut().for_each(|(at, _)| *at *= stretch);
        let cycles = (cost.cycles as f64 * stretch).max(1.0);
        let moved = (cost.read + cost.written) as f64 / (cycles / machine.clock);
        let load = [per_thread * warps / machine.issue / cycles, moved / machine.own_bandwidth, moved / together];
        let place = &mut self.multiprocessors[at];
        place.advance(self.now, machine.clock);
        let slot = place.slots.iter().position(|taken| !taken).unwrap_or_else(|| {
            place.slots.push(false);
            place.slots.len() - 1
        });
        place.slots[slot] = true;
        place.taken += share;
        place.next += 1;
        let (grid, id) = (number, place.next);
        self.timeline.blocks.push(BlockSpan {
            grid,
            block: index,
            multiprocessor: at,
            slot,
            start: self.now,
            trigger: None,
            wait: None,
            end: self.now,
        });
        // Blocks come one after the other.
        let done = -(self.machine.dispatch * index as f64 * machine.clock);
        let span = self.timeline.blocks.len() - 1;
        self.multiprocessors[at].blocks.push(Block {
            id,
            grid,
            share,
            load,
            done,
            milestones,
            runs: true,
            waits: false,
            triggered: false,
            span,
        });
        self.plan(at);
    }

    /// What a block comes to, backwards.
    fn milestones(&self, number: u64, index: u64, cost: &BlockCost) -> Vec<(f64, Milestone)> {
        let mut by_cycles = Milestones::new();
        let is_host = self.timeline.grids.get(&number).is_some_and(|grid| grid.launcher.is_none());
        let trigger = cost.trigger.or((self.changes.trigger && is_host).then_some(0));
        let wait = cost.wait.or((self.changes.programmatic && is_host).then_some(0));
        if let Some(at) = trigger {
            by_cycles.entry(at).or_default().push(Milestone::Trigger);
        }
        if let Some(at) = wait {
            by_cycles.entry(at).or_default().push(Milestone::Wait);
        }
        for &step in self.device.get(&(number, index)).into_iter().flatten() {
            if let Step::Device { cycles, .. } = self.log.steps[step] {
                by_cycles.entry(cycles.min(cost.cycles)).or_default().push(Milestone::Command(step));
            }
        }
        by_cycles.entry(cost.cycles).or_default().push(Milestone::Exit);
        let mut list: Vec<_> =
            by_cycles.into_iter().flat_map(|(at, all)| all.into_iter().map(move |what| (at as f64, what))).collect();
        list.reverse();
        list
    }

    fn plan(&mut self, at: usize) {
        let place = &mut self.multiprocessors[at];
        let used = place.sum(2);
        self.used = (self.used + used - std::mem::replace(&mut place.used, used)).max(0.0);
        if let Some((time, version)) = place.plan(self.machine.clock, self.used) {
            self.at(time, Event::Milestone(at, version));
        }
    }

    /// Blocks of a multiprocessor come to their next milestones.
    pub(super) fn milestone(&mut self, at: usize, version: u64) {
        if self.multiprocessors[at].version != version {
            return;
        }
        self.multiprocessors[at].advance(self.now, self.machine.clock);
        let is_due = |block: &Block| {
            block.runs && block.milestones.last().is_some_and(|(cycles, _)| cycles - block.done <= 1e-3)
        };
        while let Some(index) = self.multiprocessors[at].blocks.iter().position(is_due) {
            if let Some((_, what)) = self.multiprocessors[at].blocks[index].milestones.pop() {
                self.come_to(at, index, what);
            }
        }
        self.plan(at);
    }

    fn come_to(&mut self, at: usize, index: usize, what: Milestone) {
        let block = &mut self.multiprocessors[at].blocks[index];
        let (number, span) = (block.grid, block.span);
        match what {
            Milestone::Trigger => {
                self.timeline.blocks[span].trigger = Some(self.now);
                self.trigger(at, index);
            }
            Milestone::Wait => {
                let tied = self.replay.item(number).is_ok_and(|item| self.model.is_tied(item));
                if tied || self.releasing.contains(&number) {
                    (block.runs, block.waits) = (false, true);
                    self.timeline.blocks[span].wait = Some((self.now, self.now));
                }
            }
            Milestone::Command(step) => self.device_command(at, index, step),
            Milestone::Exit => {
                self.trigger(at, index);
                self.exit(at, index);
            }
        }
    }

    fn device_command(&mut self, at: usize, index: usize, step: usize) {
        let block = &mut self.multiprocessors[at].blocks[index];
        let (number, id, span) = (block.grid, block.id, block.span);
        let Step::Device { command, .. } = &self.log.steps[step] else { return };
        let took = if matches!(command, Command::Launch { .. }) { self.machine.device.call } else { 0.0 };
        if took > 0.0 {
            block.runs = false;
            self.at(self.now + took, Event::Resume(at, id));
        }
        let command = command.clone();
        let block = self.timeline.blocks[span].block;
        self.command(&command, Some((number, block)));
    }

    fn trigger(&mut self, at: usize, index: usize) {
        let block = &mut self.multiprocessors[at].blocks[index];
        if std::mem::replace(&mut block.triggered, true) {
            return;
        }
        let number = block.grid;
        let Some(running) = self.running.get_mut(&number) else { return };
        running.untriggered -= 1;
        if running.untriggered == 0 {
            self.reached(number, Early::Triggered);
        }
    }

    fn exit(&mut self, at: usize, index: usize) {
        let place = &mut self.multiprocessors[at];
        let block = place.blocks.swap_remove(index);
        let span = &mut self.timeline.blocks[block.span];
        span.end = self.now;
        place.slots[span.slot] = false;
        place.taken = if place.blocks.is_empty() { 0.0 } else { place.taken - block.share };
        let Some(running) = self.running.get_mut(&block.grid) else { return };
        running.unfinished -= 1;
        if running.unfinished == 0 {
            let used = running.multiprocessors.len();
            self.running.remove(&block.grid);
            self.exited(block.grid, used);
        }
    }

    /// Threads of a grid that waited for those in front go on.
    pub(super) fn release(&mut self, number: u64) {
        self.releasing.remove(&number);
        let Some(running) = self.running.get_mut(&number) else { return };
        let places: Vec<usize> = running.multiprocessors.iter().copied().collect();
        let (now, clock) = (self.now, self.machine.clock);
        for at in places {
            let place = &mut self.multiprocessors[at];
            place.advance(now, clock);
            for block in place.blocks.iter_mut().filter(|block| block.grid == number && block.waits) {
                (block.runs, block.waits) = (true, false);
                if let Some(wait) = &mut self.timeline.blocks[block.span].wait {
                    wait.1 = now;
                }
            }
            self.plan(at);
        }
    }

    /// A block is back from a call.
    pub(super) fn resume(&mut self, at: usize, id: u64) {
        let place = &mut self.multiprocessors[at];
        place.advance(self.now, self.machine.clock);
        if let Some(block) = place.blocks.iter_mut().find(|block| block.id == id) {
            block.runs = true;
        }
        self.plan(at);
    }
}

/// How many times as long a block takes when what its threads wait for beyond the cycles of their instructions comes from memory: loads, as a
/// rule.
fn stretch(cost: &BlockCost, instructions: f64, latency: f64) -> f64 {
    let cycles = (cost.cycles as f64).max(1.0);
    let stands = (cycles - CYCLES * instructions).max(0.0);
    1.0 + (latency - 1.0) * stands / cycles
}

/// Bytes that all blocks move.
fn moved_by(grid: &Grid) -> f64 {
    grid.costs.iter().map(|run| run.count as f64 * (run.cost.read + run.cost.written) as f64).sum()
}

fn cost_of(grid: &Grid, index: u64) -> BlockCost {
    let mut left = index;
    for run in &grid.costs {
        if left < run.count {
            return run.cost;
        }
        left -= run.count;
    }
    BlockCost::default()
}
