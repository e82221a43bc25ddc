//! Host threads that wait for the device.

use super::{Engine, State};
use crate::checking::host::Inside;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long a host thread spins before it sleeps: about what waking a sleeping thread costs.
const SPIN: Duration = Duration::from_micros(30);

/// Part of a spin that stays on the core; after it, whoever else wants the core goes first.
const UNDISTURBED: Duration = Duration::from_micros(3);

/// One step of a spin that began at `start`.
pub(super) fn relax(start: &Instant) {
    if start.elapsed() < UNDISTURBED {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

impl Engine {
    /// Blocks the calling host thread until `check` answers.
    pub fn wait<R>(&self, check: impl FnMut(&mut State) -> Option<R>) -> R {
        self.wait_then(check, |result| result)
    }

    /// Blocks the calling host thread until `check` answers, and lets it do a part of the device's work then.
    pub fn wait_then<R, T>(&self, mut check: impl FnMut(&mut State) -> Option<R>, work: impl FnOnce(R) -> T) -> T {
        let Some(baton) = self.baton.get() else { return work(self.wait_for(check)) };
        let (mut turn, result) = self.wait_in_turn(baton, &mut check);
        turn.lift();
        let _inside = Inside::enter();
        work(result)
    }

    fn wait_for<R>(&self, mut check: impl FnMut(&mut State) -> Option<R>) -> R {
        let mut seen = self.changes.load(Ordering::Acquire);
        let mut state = self.state.lock();
        if let Some(result) = check(&mut state) {
            return result;
        }
        drop(state);
        let start = Instant::now();
        while start.elapsed() < SPIN {
            let now = self.changes.load(Ordering::Acquire);
            if now != seen {
                seen = now;
                if let Some(result) = check(&mut self.state.lock()) {
                    return result;
                }
            }
            relax(&start);
        }
        state = self.state.lock();
        state.waiting += 1;
        loop {
            if let Some(result) = check(&mut state) {
                state.waiting -= 1;
                return result;
            }
            self.changed.wait(&mut state);
        }
    }
}
