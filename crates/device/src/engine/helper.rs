//! The helper: lets the device advance when host code waits for it outside of CUDA, for the signal of a host function, say.
//!
//! How much time passes on the host differs from run to run, so it helps as rarely as it can: when the host has made no CUDA call and
//! touched no guarded memory for 50 ms, in which it slept or used that much of the processor. Host code that only computes is
//! not helped before it has computed for longer, unless host functions are queued.

use super::baton::Turn;
use super::slice::Pause;
use super::{Engine, threads};
use std::time::{Duration, Instant};

/// How often it looks.
const LOOK: Duration = Duration::from_millis(10);
/// How long the host must have been without the device.
const SILENCE: Duration = Duration::from_millis(50);
/// How long it may compute if nothing that it could wait for is queued.
const COMPUTING: Duration = Duration::from_millis(500);
/// Tasks of one step.
const STEPS: u64 = 1024;

/// Processor time of the process.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

impl Engine {
    /// Helps for ever.
    pub fn help(&self) {
        let Some(baton) = self.baton.get() else { return };
        threads::own();
        let mut seen = baton.traffic().1;
        let (mut since, mut used) = (Instant::now(), processor_time());
        let mut helping = false;
        loop {
            std::thread::sleep(LOOK);
            let (busy, turns) = baton.traffic();
            if busy || turns != seen {
                (seen, since, used, helping) = (turns, Instant::now(), processor_time(), false);
                continue;
            }
            let (idle, host_functions) = self.look(|state| (state.model.all_idle(), state.host_functions_queued > 0));
            if idle || since.elapsed() < SILENCE {
                continue;
            }
            let limit = if host_functions || helping { SILENCE } else { COMPUTING };
            if processor_time().saturating_sub(used) < limit && !threads::all_wait() {
                continue;
            }
            let mut turn = Turn::take(self, baton);
            let beside = self.state.lock().host_function_due();
            let moved = beside != Some(false)
                && matches!(turn.advance(STEPS, beside.is_some()), Pause::Steps | Pause::HostFunction | Pause::Changed);
            drop(turn);
            // What a host function waits for should not come drop by drop.
            let now = Instant::now();
            let next = if moved && host_functions { now.checked_sub(SILENCE).unwrap_or(now) } else { now };
            (seen, since, used, helping) = (baton.traffic().1, next, processor_time(), true);
        }
    }
}
