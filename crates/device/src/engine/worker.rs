//! A worker's loop: take something that may run, run it, report, and take the next under the same lock.

use super::baton::Baton;
use super::slice::Slices;
use super::state::Task;
use super::threads;
use super::wait::relax;
use super::{Engine, Grid, Operation, State, operation};
use crate::checking::host::Inside;
use crate::checking::{Checking, Origin};
use crate::device::Device;
use crate::exec::{FaultReport, Outcome, ParkedBlock, Worker, permuted};
use crate::status::Status;
use crate::tracing;
use crossbeam_utils::sync::Parker;
use hotfire_jit::abi::EntryKind;
use hotfire_launch::{Early, Item};
use parking_lot::MutexGuard;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long a worker without work spins before it sleeps.
const SPIN: Duration = Duration::from_micros(50);
/// Blocks claimed at once at most, of kernels that never wait.
const MOST_BLOCKS: u64 = 64;

/// What a worker brings back.
enum Report {
    None,
    /// Some blocks of a grid exited, and others are left.
    Exited,
    /// Nothing is left of the item.
    Finished(Item),
    /// A block could only wait.
    Parked(ParkedBlock, Resumed),
    Fault(Item, FaultReport, bool),
}

/// Whether a parked block had been parked before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Resumed {
    No,
    Yes,
}

impl Device {
    /// The body of a worker thread.
    pub(crate) fn work(&'static self, index: usize, parker: &Parker) {
        let mut worker = match Worker::new(self.memory().clone()) {
            Ok(worker) => worker,
            Err(error) => {
                eprintln!("hotfire: worker {index} cannot start: {error}");
                return;
            }
        };
        threads::own();
        let _inside = Inside::enter();
        let mut report = Report::None;
        let mut turn = false;
        loop {
            let task = match self.engine.baton.get() {
                Some(baton) => self.engine.next_step(report, baton),
                None => self.engine.next_task(report, index, parker, &mut turn),
            };
            // Checked code is looked at while it runs.
            let _held = self.checking.as_ref().map(Checking::hold);
            report = match task {
                Task::Blocks(grid) => self.run_blocks(&mut worker, &grid),
                Task::Resume(block) => {
                    let owner = block.grid().owner;
                    let outcome = worker.resume(block);
                    // SAFETY: the block's exit has not been counted yet.
                    report_block(unsafe { Grid::from_owner(owner) }, 0, outcome, Resumed::Yes)
                }
                Task::Operation(item, operation) => {
                    if let Some(checking) = &self.checking {
                        checking.operate(self, item, &operation);
                    }
                    match &operation {
                        Operation::Graph(expansion) => tracing::within(item, || self.expand(item, expansion)),
                        Operation::Decide(decision) => tracing::within(item, || self.decide(item, decision)),
                        _ => self.operate(operation),
                    }
                    Report::Finished(item)
                }
            };
        }
    }

    /// Runs blocks of a grid until none is left to claim, one could not finish, or something else wants a turn.
    fn run_blocks(&self, worker: &mut Worker, grid: &Arc<Grid>) -> Report {
        let at_once = |remaining: u64| match grid.code.kernel.entry {
            _ if self.block_order.is_some() || grid.code.costs.is_some() || grid.code.is_clustered() => 1,
            EntryKind::Loop(_) | EntryKind::Phases(..) => {
                (remaining / (8 * self.worker_count() as u64)).clamp(1, MOST_BLOCKS)
            }
            _ => 1,
        };
        if let Some(checking) = &self.checking {
            checking.begin(grid);
        }
        let mut done = 0;
        while let Some((first, count)) = grid.claim(at_once(grid.remaining())) {
            if grid.announces.load(Ordering::Relaxed) && first + count == grid.code.blocks() {
                self.with(|state| state.reached(grid.item(), Early::Begun));
            }
            let mut at = match self.block_order {
                Some(seed) => {
                    // Blocks of a cluster stay together.
                    let size = grid.code.cluster_blocks();
                    let clusters = grid.code.blocks() / size;
                    permuted(seed, grid.code.gridid, clusters, first / size) * size + first % size
                }
                None => first,
            };
            let end = at + count;
            while at < end {
                let (finished, outcome) = worker.run_range(&grid.code, at, end - at);
                done += finished;
                at += finished;
                if !matches!(outcome, Outcome::Finished) {
                    // Of a range, what is behind a block that faulted or was cancelled counts as exited too.
                    let rest = end - at - 1;
                    debug_assert!(rest == 0 || !matches!(outcome, Outcome::Parked(_)), "such kernels never wait");
                    return report_block(grid, done + rest, outcome, Resumed::No);
                }
            }
            if self.engine.wanted() || self.checking.is_some() {
                break;
            }
        }
        if grid.exited(done) { Report::Finished(grid.item()) } else { Report::Exited }
    }

    /// Carries out an operation whose ranges were checked when it was queued.
    pub(crate) fn operate(&'static self, operation: Operation) {
        // SAFETY: device ranges were checked at the call and are freed only after waiting for all work; host ranges are the caller's
        // promise; the bytes of `CopyFrom` are owned.
        unsafe {
            match operation {
                Operation::Copy(copy) => operation::copy(&copy),
                Operation::CopyFrom(copy, bytes) => {
                    operation::copy(&crate::copy::Copy3d { source: bytes.as_ptr() as u64, ..copy });
                }
                Operation::Fill(fill) => operation::fill(&fill),
                Operation::Free(address) => {
                    let _ = self.memory().free(address);
                }
                Operation::Host(function) => function(),
                Operation::GraphAlloc(address, launch) => {
                    self.allocate_in_graph(address, self.origin_of_graph(launch));
                }
                Operation::GraphFree(address) => self.free_of_graph(address, Origin::Load),
                Operation::Graph(_) | Operation::Decide(_) | Operation::Caller => {}
            }
        }
    }
}

/// Turns how a block's turn ended into a report. `before` further blocks of the grid exited in the meantime.
fn report_block(grid: &Grid, before: u64, outcome: Outcome, resumed: Resumed) -> Report {
    // Read before the exits are counted: after that, the grid may be gone.
    let item = grid.item();
    match outcome {
        Outcome::Parked(block) => {
            // A parked block keeps its grid from ending.
            grid.exited(before);
            Report::Parked(block, resumed)
        }
        Outcome::Finished | Outcome::Cancelled => {
            if grid.exited(before + 1) {
                Report::Finished(item)
            } else {
                Report::Exited
            }
        }
        Outcome::Fault(fault) => {
            let kernel = grid.function.name().to_owned();
            if let Some(checking) = &grid.device.checking {
                checking.heap_fault(grid, fault.address, fault.block, fault.thread);
            }
            explain(&kernel, &fault);
            if let Some(checking) = &grid.device.checking {
                checking.faulted(grid, &fault);
            }
            grid.device.set_sticky(Status(fault.fault as u32));
            Report::Fault(item, fault, grid.exited(before + 1))
        }
    }
}

/// One line about a fault, since CUDA's error code says neither which kernel nor which thread nor where.
fn explain(kernel: &str, report: &FaultReport) {
    let FaultReport { fault, address, block, thread, location } = report;
    let at = location.map_or(String::new(), |place| match place.source {
        Some(source) => format!(", PTX line {} (source line {})", place.line, source.line),
        None => format!(", PTX line {}", place.line),
    });
    let address = if *address == 0 { String::new() } else { format!(" at address {address:#x}") };
    eprintln!(
        "hotfire: {fault:?} ({}) in {kernel}{address}: block ({}, {}, {}), thread ({}, {}, {}){at}",
        *fault as u32, block[0], block[1], block[2], thread[0], thread[1], thread[2],
    );
}

impl State {
    fn apply(&mut self, report: Report) {
        match report {
            Report::None => {}
            Report::Exited => self.restructured(),
            Report::Finished(item) => self.finish(item),
            Report::Parked(block, resumed) => {
                match resumed {
                    Resumed::Yes => self.barren += 1,
                    Resumed::No => self.restructured(),
                }
                if resumed == Resumed::Yes && block.unchanged() {
                    self.fruitless += 1;
                    self.idle += 1;
                } else {
                    self.progressed();
                }
                // SAFETY: the block has not exited.
                let grid = unsafe { Grid::from_owner(block.grid().owner) };
                let checking = grid.device.checking.as_ref();
                if let Some(checking) = checking.filter(|_| block.stuck() && self.sticky.is_success()) {
                    checking.stuck(grid, &block);
                    grid.device.set_sticky(Status::LAUNCH_TIMEOUT);
                    self.fail(Status::LAUNCH_TIMEOUT);
                }
                if self.sticky.is_success() {
                    self.park(grid, block);
                } else {
                    let item = grid.item();
                    drop(block);
                    if grid.exited(1) {
                        self.finish(item);
                    }
                }
            }
            Report::Fault(item, report, last) => {
                self.fail(Status(report.fault as u32));
                if last {
                    self.finish(item);
                }
            }
        }
    }
}

impl Engine {
    /// Whether a worker in the middle of a grid should look for something else.
    fn wanted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// The next task of a slice; waits while the worker is at rest.
    fn next_step(&self, report: Report, baton: &Baton) -> Task {
        let mut state = self.state.lock();
        state.apply(report);
        loop {
            state.settle();
            if state.slices.as_ref().is_none_or(Slices::at_rest) {
                baton.granted.wait(&mut state);
                continue;
            }
            match state.step() {
                Ok(task) => return task,
                Err(pause) => {
                    if let Some(slices) = &mut state.slices {
                        slices.end(pause);
                    }
                    baton.ended.notify_all();
                }
            }
        }
    }

    fn next_task(&self, report: Report, index: usize, parker: &Parker, turn: &mut bool) -> Task {
        let mut state = self.state.lock();
        state.put_down(index);
        state.apply(report);
        state.settle();
        loop {
            if state.watched_by_other(index) {
                state = self.sleep(state, index, parker, None);
                continue;
            }
            if let Some(pause) = state.pause() {
                state = self.sleep(state, index, parker, Some(pause));
                state.round = Some(Instant::now());
            }
            if let Some(task) = state.take(turn) {
                if !matches!(task, Task::Resume(_)) && state.watcher == Some(index) {
                    state.watcher = None;
                }
                state.pick_up(index, &task);
                let wake = self.publish(&mut state);
                drop(state);
                self.wake(wake);
                return task;
            }
            let wake = self.publish(&mut state);
            drop(state);
            self.wake(wake);
            let found = self.search();
            state = self.state.lock();
            if !found && !state.has_work() {
                if state.watcher == Some(index) {
                    state.watcher = None;
                }
                state = self.sleep(state, index, parker, None);
            }
        }
    }

    /// Sleeps until woken, or for so long.
    fn sleep<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        index: usize,
        parker: &Parker,
        limit: Option<Duration>,
    ) -> MutexGuard<'a, State> {
        let wake = self.publish(&mut state);
        state.sleeping.push(index);
        drop(state);
        self.wake(wake);
        match limit {
            Some(limit) => parker.park_timeout(limit),
            None => parker.park(),
        }
        let mut state = self.state.lock();
        state.sleeping.retain(|&sleeper| sleeper != index);
        state
    }

    /// Spins for a while, unless another worker does already. True when there is work.
    fn search(&self) -> bool {
        if self.searching.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            return false;
        }
        let start = Instant::now();
        let mut found = false;
        while !found && start.elapsed() < SPIN {
            found = self.work.load(Ordering::Acquire);
            relax(&start);
        }
        self.searching.store(0, Ordering::Release);
        found
    }
}
