//! The baton: under `hotfire check` either host code runs or the device does, never both, as long as the program allows it.
//!
//! The device advances only while a host thread holds the *turn*: one that is blocked in a CUDA call ([`Engine::wait`]), one that
//! touched memory which the device uses ([`Engine::pump`]), or the helper, when host code has made no CUDA call for a while. Host
//! threads that want the turn stand in line, in the order in which they came. One whose condition is not met yet hands it on
//! whenever something happened that any of them may wait for, and when nothing moves. So a thread waits for another at most as long
//! as that one makes the device advance by a bounded number of tasks.
//!
//! Host functions run while the device stands still; one that takes longer than [`PATIENCE`](super::slice::PATIENCE) may wait for the
//! device or for a host thread that does, and the device goes on beside it.
//!
//! Whoever advances the device calls [`Checking::lift`] before, and [`Checking::guard`] before host code goes on. With several host
//! threads, those that are not in a CUDA call run beside the device; what they do then to memory that it uses is not seen.

use super::slice::{PATIENCE, Pause};
use super::verdict::{Next, Suspicion};
use super::{Engine, State, threads};
use crate::checking::Checking;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Tasks after which the turn is offered to the next in line.
const SHARE: u64 = 1024;
/// Tasks of one [`Engine::pump`].
const PUMP: u64 = 1024;
/// How long a host thread rests when nothing moves, at first and at most.
const RESTS: [Duration; 2] = [Duration::from_micros(200), Duration::from_millis(5)];

/// Who may advance the device.
pub(crate) struct Baton {
    pub checking: &'static Checking,
    line: Mutex<Line>,
    /// The line moved.
    moved: Condvar,
    /// The worker was granted a slice.
    pub granted: Condvar,
    /// A slice ended.
    pub ended: Condvar,
    /// A host function ended.
    pub served: Condvar,
    /// Host threads in [`Engine::pump`]: they go on whatever the device does.
    pumping: AtomicUsize,
}

struct Line {
    /// Tickets; the first has the turn.
    tickets: VecDeque<u64>,
    next: u64,
    /// Whether the guard is lifted.
    lifted: bool,
    /// Counts turns.
    turns: u64,
}

impl Baton {
    pub fn new(checking: &'static Checking) -> Self {
        Self {
            checking,
            line: Mutex::new(Line { tickets: VecDeque::new(), next: 0, lifted: false, turns: 0 }),
            moved: Condvar::new(),
            granted: Condvar::new(),
            ended: Condvar::new(),
            served: Condvar::new(),
            pumping: AtomicUsize::new(0),
        }
    }

    /// Whether a host thread is in line that does not wait for what the device does.
    pub fn pumping(&self) -> bool {
        self.pumping.load(Ordering::SeqCst) > 0
    }

    /// Whether a host thread is in line, and how many turns there were.
    pub fn traffic(&self) -> (bool, u64) {
        let line = self.line.lock();
        (!line.tickets.is_empty(), line.turns)
    }
}

/// The right to advance the device.
pub(crate) struct Turn<'a> {
    engine: &'a Engine,
    baton: &'a Baton,
    ticket: u64,
}

impl<'a> Turn<'a> {
    /// Waits for the turn.
    pub fn take(engine: &'a Engine, baton: &'a Baton) -> Self {
        let mut turn = Self { engine, baton, ticket: 0 };
        turn.enter();
        turn
    }

    fn enter(&mut self) {
        let mut line = self.baton.line.lock();
        self.ticket = line.next;
        line.next += 1;
        line.turns += 1;
        line.tickets.push_back(self.ticket);
        while line.tickets.front() != Some(&self.ticket) {
            self.baton.moved.wait(&mut line);
        }
    }

    fn leave(&mut self) {
        let mut line = self.baton.line.lock();
        line.turns += 1;
        line.tickets.pop_front();
        if !line.tickets.is_empty() {
            self.baton.moved.notify_all();
        }
    }

    /// Lets those who wait for the turn have it first.
    fn hand_on(&mut self) {
        if self.baton.line.lock().tickets.len() > 1 {
            self.leave();
            self.enter();
        }
    }

    /// Lifts what keeps host code from memory that the device uses: the holder of the turn does the device's work.
    pub fn lift(&mut self) {
        if !std::mem::replace(&mut self.baton.line.lock().lifted, true) {
            self.baton.checking.lift();
        }
    }

    fn guard(&mut self) {
        if std::mem::take(&mut self.baton.line.lock().lifted) {
            self.baton.checking.guard();
        }
    }

    /// Lets the worker run a slice.
    pub fn advance(&mut self, steps: u64, beside: bool) -> Pause {
        self.lift();
        let mut state = self.engine.state.lock();
        state.grant(steps, beside);
        self.baton.granted.notify_one();
        loop {
            match &state.slices {
                Some(slices) if !slices.at_rest() => self.baton.ended.wait(&mut state),
                Some(slices) => return slices.ended(),
                None => return Pause::Nothing,
            }
        }
    }

    /// Steps out of line while `rest` waits for something that host code does.
    fn aside(&mut self, rest: impl FnOnce(&Baton, &Engine)) {
        self.guard();
        self.leave();
        rest(self.baton, self.engine);
        self.enter();
    }

    /// Lets host functions run, until there are none or the device must go on beside them.
    fn serve_host_functions(&mut self) {
        self.aside(|baton, engine| {
            let until = Instant::now() + PATIENCE;
            let mut state = engine.state.lock();
            state.serve();
            engine.host_work.notify_one();
            while state.host_function_due() == Some(false) && !baton.served.wait_until(&mut state, until).timed_out() {}
        });
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.guard();
        self.engine.state.lock().serve();
        self.engine.host_work.notify_one();
        self.leave();
    }
}

impl Engine {
    /// Advances the device until `check` answers. The turn comes with the answer: host code goes on when it is dropped.
    pub(super) fn wait_in_turn<'a, R>(
        &'a self,
        baton: &'a Baton,
        mut check: impl FnMut(&mut State) -> Option<R>,
    ) -> (Turn<'a>, R) {
        let _blocked = threads::Blocked::new();
        let mut turn = Turn::take(self, baton);
        let mut rest = RESTS[0];
        let mut suspicion = Suspicion::default();
        loop {
            let mut state = self.state.lock();
            if let Some(result) = check(&mut state) {
                return (turn, result);
            }
            let beside = state.host_function_due();
            drop(state);
            if beside == Some(false) {
                turn.serve_host_functions();
                continue;
            }
            match turn.advance(SHARE, beside.is_some()) {
                Pause::Changed | Pause::Steps => {
                    rest = RESTS[0];
                    turn.hand_on();
                }
                Pause::HostFunction => {}
                Pause::Vain if beside.is_none() && self.consider(baton, &mut suspicion) == Next::Again => {}
                // Other host threads, or a host function, must act first.
                Pause::Vain | Pause::Nothing => {
                    turn.aside(|baton, engine| {
                        let mut state = engine.state.lock();
                        if check(&mut state).is_none() {
                            baton.served.wait_for(&mut state, rest);
                        }
                    });
                    rest = (rest * 2).min(RESTS[1]);
                }
            }
        }
    }

    /// Lets the device advance a bounded way, if it advances only when it is let: until something happened that a host thread waits for,
    /// nothing is left to do, or all that runs was resumed in vain once. Host code that looks again and again whether the device
    /// has done something calls this each time. Must not be called by whoever holds the turn.
    pub fn pump(&self) {
        let Some(baton) = self.baton.get() else { return };
        if threads::is_host_function() || self.state.lock().model.all_idle() {
            return;
        }
        baton.pumping.fetch_add(1, Ordering::SeqCst);
        let mut turn = Turn::take(self, baton);
        let host_function = self.state.lock().host_function_due();
        if host_function != Some(false) {
            turn.advance(PUMP, host_function.is_some());
        }
        drop(turn);
        baton.pumping.fetch_sub(1, Ordering::SeqCst);
    }
}
