//! Memory that host code shares with the device: when it is closed to host code, and what is done about accesses of host code.
//!
//! From the moment at which work is queued until the host has waited for it, the memory that the work may touch is watched
//! ([`super::host`]). Work whose bytes are not known (grids, host functions) may touch all of it.

use super::Checking;
use super::host::{HostAccess, Watch};
use crate::copy::{Copy3d, Fill3d};
use crate::device::Device;
use crate::engine::State;
use hotfire_launch::order::Fact;
use parking_lot::Mutex;

/// The watch, and what the host has not waited for.
pub(super) struct Shared {
    watch: &'static Watch,
    /// Of each chain, the latest item that was queued.
    outstanding: Mutex<Vec<Fact>>,
}

impl Shared {
    pub fn new() -> Self {
        Self { watch: Watch::new(), outstanding: Mutex::default() }
    }
}

impl Checking {
    /// Says who is told of accesses of host code.
    pub fn listen(&self, device: &'static Device) {
        self.shared.watch.listen(device);
    }

    /// Host code shares an allocation of the arena from now on.
    pub fn share(&self, base: u64, size: u64) {
        self.shared.watch.add(base, size);
    }

    /// Host code shares memory of its own.
    pub fn share_registered(&self, base: u64, size: u64) {
        self.shared.watch.add_registered(base, size);
    }

    /// Memory is shared no more. Before it is given back.
    pub fn unshare(&self, base: u64) {
        self.shared.watch.remove(base);
    }

    /// The host queued work, the latest of the model's, that may touch the range, or anything.
    pub fn queued(&self, state: &State, touched: Option<(u64, u64)>) {
        let mut outstanding = self.shared.outstanding.lock();
        if let Some(fact) = state.model.order.last().complete {
            match outstanding.iter_mut().find(|known| known.chain == fact.chain) {
                Some(known) => known.position = known.position.max(fact.position),
                None => outstanding.push(fact),
            }
        }
        drop(outstanding);
        self.shared.watch.submitted(touched);
        self.shared.watch.guard();
    }

    /// The host queued a copy.
    pub fn queued_copy(&self, state: &State, copy: &Copy3d) {
        let end = |start: u64, pitch: u64, rows: u64| {
            let rows = (copy.depth - 1) * rows + copy.height - 1;
            (start, start + rows * pitch + copy.width)
        };
        self.queued(state, Some(end(copy.source, copy.source_pitch, copy.source_rows)));
        self.queued(state, Some(end(copy.destination, copy.destination_pitch, copy.destination_rows)));
    }

    /// The host queued a set.
    pub fn queued_fill(&self, state: &State, fill: &Fill3d) {
        let rows = (fill.depth - 1) * fill.rows + fill.height - 1;
        let bytes = rows * fill.pitch + fill.width * u64::from(fill.element);
        self.queued(state, Some((fill.destination, fill.destination + bytes)));
    }

    /// The host has waited for something: what it knows to be complete is in the model's order.
    pub fn waited(&self, state: &State) {
        let host = state.model.order.host();
        let mut outstanding = self.shared.outstanding.lock();
        outstanding.retain(|&fact| !host.knows(fact));
        let quiet = outstanding.is_empty();
        drop(outstanding);
        if quiet {
            self.shared.watch.quiet();
        } else {
            self.shared.watch.synchronised();
        }
    }

    /// Nothing is queued any more.
    pub fn forget_queued(&self) {
        self.shared.outstanding.lock().clear();
        self.shared.watch.quiet();
    }

    /// The device is going to advance. It, and calls, open what they touch by themselves.
    pub fn lift(&self) {}

    /// The device stands still, and host code is going to run: what the device may still touch is closed to it.
    pub fn guard(&self) {
        self.shared.watch.guard();
    }

    /// What went unchecked, for the summary.
    pub(super) fn unchecked(&self) -> Vec<String> {
        self.shared.watch.notes()
    }
}

impl HostAccess for Device {
    fn host_access(&self, address: u64, size: u32, write: bool, frames: &[usize]) {
        if let Some(checking) = &self.checking {
            checking.host_access(address, size, write, frames);
        }
    }

    fn pump(&self) -> bool {
        let idle = self.engine.look(|state| state.model.all_idle());
        if !idle {
            self.engine.pump();
        }
        !idle
    }
}
