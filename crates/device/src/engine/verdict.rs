//! Verdicts on progress: when nothing can move any more, and why (launch-model 9; no time-out is one).
//!
//! What runs is at its end when all of this holds: every thread that could go on was resumed and looks as before, registers and
//! stack; the memory that it could read is as before too; no thread read a clock, or it read one and moving the clock far ahead
//! changed nothing; the launch model starts nothing; and no host thread can act, since each is blocked in a CUDA call or waits
//! without limit for one that is. Then every further round would be like the last.
//!
//! A loop may count its looks if nothing hangs on the count: generated code says what the loops of a kernel hang on. Not seen: one that
//! counts in memory or in a function that it calls, which may be about to leave by a bound of its own. It runs on.

use super::baton::Baton;
use super::{Engine, Grid, State, threads};
use crate::checking::{Stalled, StalledGrid};
use crate::exec::ParkedBlock;
use crate::memory::Memory;
use crate::status::Status;
use std::collections::BTreeMap;

/// How often the clock is moved ahead, each time twice as far: the last time by 36 minutes.
const JUMPS: u32 = 40;

/// What one host thread that waits has noticed.
#[derive(Default)]
pub(super) struct Suspicion {
    structure: u64,
    looks: u64,
    jumps: u32,
    memory: Option<u64>,
}

/// What to do when nothing moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Let everything run once more.
    Again,
    /// Rest: host code may act.
    Rest,
}

impl Engine {
    /// Nothing moved in a slice that the caller, who has the turn, granted. A verdict ends all work.
    pub(super) fn consider(&self, baton: &Baton, suspicion: &mut Suspicion) -> Next {
        let host_acts = || baton.pumping() || !threads::none_can_act();
        if host_acts() {
            *suspicion = Suspicion::default();
            return Next::Rest;
        }
        let mut state = self.state.lock();
        let (structure, looks) = (state.structure, baton.checking.time.looks());
        if suspicion.structure != structure {
            *suspicion = Suspicion { structure, looks, ..Suspicion::default() };
            return Next::Again;
        }
        if suspicion.looks != looks && suspicion.jumps < JUMPS {
            // No power of two, so that no wrap-around of a short clock hides it.
            baton.checking.time.advance(2001 << suspicion.jumps);
            suspicion.jumps += 1;
            (suspicion.looks, suspicion.memory) = (looks, None);
            return Next::Again;
        }
        // What the policy held back may start; what that changes is seen by what it writes (`progress/spin`, second case).
        if let Some(&held) = state.model.startable().first()
            && state.model.start(held)
        {
            state.start(held);
            return Next::Again;
        }
        let Some(memory) = state.memory() else { return Next::Rest };
        let now = fingerprint(memory, state.waiting_blocks());
        if suspicion.memory.replace(now) != Some(now) {
            return Next::Again;
        }
        // Asked without the lock, for which a thread that can act may wait.
        drop(state);
        if host_acts() {
            *suspicion = Suspicion::default();
            return Next::Rest;
        }
        let mut state = self.state.lock();
        if state.structure != structure {
            return Next::Again;
        }
        let stalled = state.stalled();
        baton.checking.stalled(&stalled);
        state.give_up();
        Next::Again
    }
}

impl State {
    /// All blocks that were parked.
    fn waiting_blocks(&self) -> impl Iterator<Item = &ParkedBlock> {
        self.parked.iter().chain(&self.stuck).chain(&self.depending)
    }

    /// The memory of the device, if something is parked in it.
    fn memory(&self) -> Option<&'static Memory> {
        let block = self.waiting_blocks().next()?;
        // SAFETY: the block has not exited.
        Some(unsafe { Grid::from_owner(block.grid().owner) }.device.memory())
    }

    /// Who waits where, and what has not started.
    fn stalled(&self) -> Stalled<'static> {
        let mut grids: BTreeMap<u64, StalledGrid<'static>> = BTreeMap::new();
        let mut blocks: Vec<_> = self.waiting_blocks().collect();
        blocks.sort_by_key(|block| (block.grid().gridid, block.block()));
        for block in blocks {
            // SAFETY: the block has not exited.
            let grid = unsafe { Grid::from_owner(block.grid().owner) };
            let known = grids.entry(grid.code.gridid).or_insert_with(|| StalledGrid::new(grid));
            known.add(block);
        }
        // Grids that were started and have blocks for which there is no room.
        let waiting = self.ready.iter().filter(|grid| !grid.exhausted());
        let waiting = waiting.map(|grid| (grid.code.gridid, grid.remaining(), grid.code.blocks())).collect();
        let edges = self.model.waits().into_iter();
        let edges = edges.filter_map(|(before, after, kind)| Some((self.gridid(before)?, self.gridid(after)?, kind)));
        Stalled { grids: grids.into_values().collect(), waiting, edges: edges.collect() }
    }

    /// Ends all work as a time-out of the device would.
    pub(super) fn give_up(&mut self) {
        let block = self.waiting_blocks().next();
        if let Some(block) = block {
            // SAFETY: the block has not exited.
            unsafe { Grid::from_owner(block.grid().owner) }.device.set_sticky(Status::LAUNCH_TIMEOUT);
        }
        self.fail(Status::LAUNCH_TIMEOUT);
    }
}

/// A number for all that device code can read but its own stacks.
fn fingerprint<'a>(memory: &Memory, blocks: impl Iterator<Item = &'a ParkedBlock>) -> u64 {
    let mut hash = 0;
    for allocation in memory.allocations() {
        mix(&mut hash, allocation.base, allocation.size);
    }
    for (start, size) in memory.registered() {
        mix(&mut hash, start, size);
    }
    for block in blocks {
        let shared = block.shared();
        mix(&mut hash, shared.start, shared.end - shared.start);
    }
    hash
}

/// Adds the bytes of a range, as far as its pages were ever touched.
fn mix(hash: &mut u64, start: u64, size: u64) {
    const PAGE: u64 = 4096;
    const STRETCH: u64 = 1 << 30;
    let (mut at, end) = (start, start + size);
    while at < end {
        let stretch = (end - at).min(STRETCH);
        let first = at & !(PAGE - 1);
        let pages = (at + stretch - first).div_ceil(PAGE) as usize;
        let mut present = vec![0u8; pages];
        // SAFETY: the vector has a byte for each page.
        let known = unsafe { libc::mincore(first as *mut _, pages * PAGE as usize, present.as_mut_ptr()) } == 0;
        for (index, page) in present.iter().enumerate() {
            if known && page & 1 == 0 {
                continue;
            }
            let from = (first + index as u64 * PAGE).max(at);
            let to = (first + (index as u64 + 1) * PAGE).min(at + stretch);
            // SAFETY: the range is allocated and readable while the device stands still. Host code may write to it at the same
            // time, as to any memory that it shares with the device.
            let word = |address: u64| unsafe { (address as *const u64).read_volatile() };
            // SAFETY: as above.
            let byte = |address: u64| u64::from(unsafe { (address as *const u8).read_volatile() });
            let mut add = |value: u64| *hash = (hash.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
            let middle = from.next_multiple_of(8).min(to)..to & !7;
            (from..middle.start).map(byte).for_each(&mut add);
            middle.clone().step_by(8).map(word).for_each(&mut add);
            (middle.end.max(middle.start)..to).map(byte).for_each(&mut add);
        }
        at += stretch;
    }
}
