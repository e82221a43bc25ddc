//! The engine: takes from the launch model what may start, and gives it to the workers.
//!
//! One lock guards the model and everything that changes with it; it is held for a few hundred nanoseconds at a time and
//! never while device code, a copy or a host function runs. Blocks of a grid are claimed by an atomic counter outside of it, in
//! increasing linear index (launch-model.md section 2.6). A worker that ends a grid takes what that made startable itself.

mod baton;
mod early;
mod event;
mod grid;
mod helper;
mod host_thread;
#[cfg(test)]
pub(crate) mod native;
pub(crate) mod operation;
mod order;
mod slice;
mod state;
mod stream;
#[cfg(test)]
mod tests;
mod threads;
mod verdict;
mod wait;
mod worker;

pub(crate) use grid::{CAPACITY, Checked, Grid, Shape};
pub(crate) use operation::Operation;
pub(crate) use state::{Prepared, State};
pub(crate) use stream::HOST_HANDLE;
pub(crate) use threads::is_host_function;

use crate::checking::{CALL, Checking};
use crate::tracing;
use baton::Baton;
use crossbeam_utils::sync::Unparker;
use hotfire_launch::Policy;
use parking_lot::{Condvar, Mutex};
use slice::Slices;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// What workers and callers share.
pub(crate) struct Engine {
    state: Mutex<State>,
    /// Waiting host threads.
    changed: Condvar,
    /// The thread that runs host functions.
    host_work: Condvar,
    /// Counts changes that waiting host threads may care about.
    changes: AtomicU64,
    /// Whether a worker would find something to do: read by workers that spin.
    work: AtomicBool,
    /// Whether a worker in the middle of a grid should look for something else.
    interrupt: AtomicBool,
    /// Workers that spin rather than sleep; at most one.
    searching: AtomicUsize,
    workers: OnceLock<Vec<Unparker>>,
    /// Who may advance the device, if it does not at its own pace.
    baton: OnceLock<Baton>,
}

impl Engine {
    pub fn new(pending_launches: u32, policy: Policy) -> Self {
        Self {
            state: Mutex::new(State::new(pending_launches, policy)),
            changed: Condvar::new(),
            host_work: Condvar::new(),
            changes: AtomicU64::new(0),
            work: AtomicBool::new(false),
            interrupt: AtomicBool::new(false),
            searching: AtomicUsize::new(0),
            workers: OnceLock::new(),
            baton: OnceLock::new(),
        }
    }

    /// Says how to wake the workers.
    pub fn set_workers(&self, workers: Vec<Unparker>) {
        let _ = self.workers.set(workers);
    }

    /// From now on the device advances only while host code lets it. Before the first worker.
    pub fn set_checking(&self, checking: &'static Checking) {
        let mut state = self.state.lock();
        let policy = state.policy().clone();
        state.slices = Some(Slices::new(&policy, &checking.time));
        state.model.order.enable();
        let _ = self.baton.set(Baton::new(checking));
    }

    /// Changes the state, follows what that set in motion, and wakes whom it concerns.
    pub fn with<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.state.lock();
        if let Some(slices) = &state.slices {
            slices.time.advance(CALL);
        }
        let result = change(&mut state);
        if let Some(tracing) = tracing::active() {
            tracing.take(&mut state);
        }
        state.settle();
        let wake = self.publish(&mut state);
        drop(state);
        self.wake(wake);
        result
    }

    /// Looks at the state.
    pub fn look<R>(&self, look: impl FnOnce(&State) -> R) -> R {
        look(&self.state.lock())
    }

    /// Tells those who do not hold the lock what they watch. Answers which sleeping worker to wake.
    fn publish(&self, state: &mut State) -> Option<usize> {
        if state.slices.is_some() {
            // Nobody watches: the worker rests, and host threads look themselves.
            return None;
        }
        if std::mem::take(&mut state.completed) {
            self.changes.fetch_add(1, Ordering::Release);
            if state.waiting > 0 {
                self.changed.notify_all();
            }
        }
        if !state.host_functions.is_empty() {
            self.host_work.notify_one();
        }
        let watched = state.patient() && state.watcher.is_some();
        let work = if watched { state.has_fresh_work() } else { state.has_work() };
        self.work.store(work, Ordering::Release);
        self.interrupt.store(state.interrupts(), Ordering::Relaxed);
        // One that spins sees the flag by itself.
        if work && self.searching.load(Ordering::Acquire) == 0 { state.sleeping.pop() } else { None }
    }

    fn wake(&self, worker: Option<usize>) {
        if let (Some(index), Some(workers)) = (worker, self.workers.get()) {
            workers[index].unpark();
        }
    }
}
