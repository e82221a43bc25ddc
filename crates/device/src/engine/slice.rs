//! Slices: how far the device may advance while host code stands still. Only `hotfire check` has them.
//!
//! There is one worker, and it is at rest unless it was granted a slice. It takes one task after the other until the slice ends;
//! between two tasks it decides whether it does, by nothing but what happened on the device. So where it stops does not
//! depend on the time of day, and a program whose host threads are determined gives the same run again.

use super::operation::HostFunction;
use super::order::Order;
use super::state::{State, Task};
use super::{Grid, Operation};
use crate::checking::{CALL, ModelTime, TURN};
use hotfire_launch::{Item, Policy};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a host function may keep the device standing. One that takes longer may wait for what the device does.
pub(super) const PATIENCE: Duration = Duration::from_millis(50);
/// Bytes that a copy or set moves in a nanosecond of model time.
const BYTES: u64 = 2_000;

/// Why a slice ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// Something happened that a host thread waits for.
    Changed,
    /// A host function has its turn.
    HostFunction,
    /// So many tasks were run.
    Steps,
    /// All that runs was resumed, and none of it moved; nothing else may start.
    Vain,
    /// Nothing is there to run.
    Nothing,
}

#[derive(Clone, Copy, Debug)]
struct Slice {
    /// Tasks left.
    steps: u64,
    /// Whether to go on beside a host function.
    beside: bool,
}

/// Rounds over all that waits, nothing else happening, after which the clock stands still for some; each time later.
const ROUNDS: u64 = 32;
/// For how many rounds it does.
const STILL: u64 = 32;

/// Threads that look at the clock and remember it never look as before, though they wait for something else. So now and then the
/// clock stands still, to see.
#[derive(Clone, Copy, Debug, Default)]
struct Freeze {
    /// Which structure this is about.
    structure: u64,
    times: u32,
    frozen: bool,
}

/// What a device in slices keeps.
pub(crate) struct Slices {
    pub time: &'static ModelTime,
    order: Order,
    slice: Option<Slice>,
    ended: Pause,
    /// Since when a host function runs.
    pub host_function: Option<Instant>,
    /// When the clock is stopped next: see [`State::barren`].
    freeze: Freeze,
    /// Whether host functions may begin: the device stands still and is guarded, or must go on beside them.
    pub serves: bool,
}

impl Slices {
    pub fn new(policy: &Policy, time: &'static ModelTime) -> Self {
        Self {
            time,
            order: Order::new(policy),
            slice: None,
            ended: Pause::Nothing,
            host_function: None,
            freeze: Freeze::default(),
            serves: true,
        }
    }

    /// True when the worker must not take a task.
    pub fn at_rest(&self) -> bool {
        self.slice.is_none()
    }

    /// Why the last slice ended.
    pub fn ended(&self) -> Pause {
        self.ended
    }

    /// Whether a block that triggered lets those run first that may start now.
    pub fn pauses(&mut self) -> bool {
        self.order.pauses()
    }

    /// The slice is over.
    pub fn end(&mut self, why: Pause) {
        self.slice = None;
        self.ended = why;
    }
}

/// Orders grids that are ready: in slices, the deeper launch first, so that a tree needs the fewest slots of the launch pool.
fn position(ready: &std::collections::VecDeque<Arc<Grid>>, grid: &Grid) -> usize {
    ready.partition_point(|other| other.depth >= grid.depth)
}

impl State {
    /// Puts a started grid among those whose blocks may be handed out.
    pub(super) fn make_ready(&mut self, grid: Arc<Grid>) {
        let at = if self.slices.is_some() { position(&self.ready, &grid) } else { self.ready.len() };
        self.ready.insert(at, grid);
    }

    /// Whether the thread that launched a grid lets others run now. `polls`: the grid has loops that may wait.
    pub fn gives_way(&mut self, polls: bool) -> bool {
        let room = self.model.pending_launches().saturating_sub(self.model.pending());
        self.slices.as_mut().is_some_and(|slices| slices.order.gives_way(polls, room))
    }

    /// The worker may run so many tasks, perhaps beside a host function; more if more wait, for each slice looks at all of them.
    pub(super) fn grant(&mut self, steps: u64, beside: bool) {
        self.fruitless = 0;
        let steps = steps.max(2 * self.parked.len() as u64);
        if let Some(slices) = &mut self.slices {
            slices.slice = Some(Slice { steps, beside });
            slices.serves = beside;
        }
    }

    /// The device stands still: host functions may begin.
    pub(super) fn serve(&mut self) {
        if let Some(slices) = &mut self.slices {
            slices.serves = true;
        }
    }

    /// The next host function that may begin.
    pub(super) fn next_host_function(&mut self) -> Option<(Item, HostFunction)> {
        if self.slices.as_ref().is_some_and(|slices| !slices.serves) {
            return None;
        }
        let next = self.host_functions.pop_front()?;
        if let Some(slices) = &mut self.slices {
            slices.host_function = Some(Instant::now());
        }
        Some(next)
    }

    /// A host function is over.
    pub(super) fn host_function_ended(&mut self, item: Item) {
        if let Some(slices) = &mut self.slices {
            slices.host_function = None;
        }
        self.finish(item);
    }

    /// Whether a host function runs or is about to; if so, whether the device has stood still for it long enough.
    pub(super) fn host_function_due(&self) -> Option<bool> {
        let since = self.slices.as_ref().and_then(|slices| slices.host_function);
        if since.is_none() && self.host_functions.is_empty() {
            return None;
        }
        Some(since.is_some_and(|since| since.elapsed() >= PATIENCE))
    }

    /// The next task of the slice, or why it ends here.
    pub(super) fn step(&mut self) -> Result<Task, Pause> {
        if std::mem::take(&mut self.completed) {
            return Err(Pause::Changed);
        }
        self.stop_clock();
        let host_function = self.host_function_due().is_some();
        let has_fresh_work = self.has_fresh_work();
        let waiting = self.parked.len();
        let resting = self.depending.len();
        let slices = self.slices.as_mut().ok_or(Pause::Nothing)?;
        let slice = slices.slice.as_mut().ok_or(Pause::Nothing)?;
        if host_function && !slice.beside {
            return Err(Pause::HostFunction);
        }
        if !has_fresh_work && waiting + resting > 0 && self.fruitless >= waiting as u64 {
            return Err(Pause::Vain);
        }
        if slice.steps == 0 {
            return Err(Pause::Steps);
        }
        slice.steps -= 1;
        slices.time.pass(TURN);
        if let Some((item, operation)) = self.operations.pop_front() {
            slices.time.advance(CALL + operation.bytes() / BYTES);
            return Ok(Task::Operation(item, operation));
        }
        let fresh = has_fresh_work && (waiting == 0 || slices.order.fresh_first());
        if !fresh && waiting > 0 {
            // Those that went on in vain stand at the end. How often all do depends on the host, so nothing is drawn for it.
            let hopeful = waiting - self.idle.min(waiting as u64) as usize;
            let at = if hopeful == 0 { 0 } else { slices.order.parked(hopeful) };
            return self.take_parked(at).ok_or(Pause::Nothing);
        }
        self.ready_grid().map(Task::Blocks).ok_or(Pause::Nothing)
    }

    /// Stops the clock for some rounds, or lets it go on.
    fn stop_clock(&mut self) {
        let (structure, round) = (self.structure, self.parked.len() as u64);
        let (barren, vain) = (self.barren, self.idle >= round);
        let Some(slices) = &mut self.slices else { return };
        let freeze = &mut slices.freeze;
        let before = freeze.frozen;
        if freeze.structure != structure {
            *freeze = Freeze { structure, ..Freeze::default() };
        }
        let due = (ROUNDS << freeze.times.min(20)) * round;
        if freeze.frozen && !vain && barren >= due + STILL * round {
            (freeze.frozen, freeze.times) = (false, freeze.times + 1);
        } else if !freeze.frozen && round > 0 && barren >= due {
            freeze.frozen = true;
        }
        if freeze.frozen != before {
            slices.time.freeze(freeze.frozen);
        }
    }

    fn take_parked(&mut self, at: usize) -> Option<Task> {
        let block = self.parked.remove(at)?;
        // SAFETY: the block has not exited.
        self.unpark(unsafe { Grid::from_owner(block.grid().owner) });
        Some(Task::Resume(block))
    }
}

impl Operation {
    /// Bytes that it moves.
    fn bytes(&self) -> u64 {
        match self {
            Operation::Copy(copy) | Operation::CopyFrom(copy, _) => copy.width * copy.height * copy.depth,
            Operation::Fill(fill) => fill.width * fill.height * fill.depth * u64::from(fill.element),
            _ => 0,
        }
    }
}
