//! The launch pool and the event pool (launch-model 3.5).
//!
//! A slot is taken by the call that asks for a parameter buffer, passes to the launch, and is free again when the grid
//! is *done*: not yet complete, so a grid whose tails still run holds none for itself, but each queued tail holds its own.

use crate::handle::Item;
use crate::model::Model;
use std::fmt;

/// Every launch slot is taken: `cudaErrorLaunchPendingCountExceeded` (69), the launch is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolFull;

/// Every event slot is taken: `cudaErrorMemoryAllocation` (2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPoolFull;

impl fmt::Display for PoolFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the pool of pending device launches is full")
    }
}

impl fmt::Display for EventPoolFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the pool of device events is full")
    }
}

impl std::error::Error for PoolFull {}
impl std::error::Error for EventPoolFull {}

#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pub size: u32,
    /// Slots between the parameter buffer and the launch.
    reserved: u32,
    /// Slots of grids that are not done.
    held: u32,
    peak: u32,
    pub events: u32,
}

impl Pool {
    pub fn new(size: u32) -> Pool {
        Pool { size, reserved: 0, held: 0, peak: 0, events: 0 }
    }

    fn used(&self) -> u32 {
        self.reserved + self.held
    }

    /// A reserved slot becomes that of a grid; false if none is reserved.
    pub fn consume(&mut self) -> bool {
        if self.reserved == 0 {
            return false;
        }
        self.reserved -= 1;
        self.held += 1;
        true
    }

    /// The grid that held a slot is done.
    pub fn done(&mut self) {
        self.held -= 1;
    }

    /// There are twice as many event slots as launch slots (3.5).
    pub fn take_event(&mut self) -> Result<(), EventPoolFull> {
        if u64::from(self.events) >= 2 * u64::from(self.size) {
            return Err(EventPoolFull);
        }
        self.events += 1;
        Ok(())
    }
}

impl Model {
    /// Takes a launch slot for a launch that a thread of `launcher` prepares (the parameter-buffer call).
    pub fn reserve_slot(&mut self, launcher: Item) -> Result<(), PoolFull> {
        self.launching(launcher);
        if self.pool.used() >= self.pool.size {
            return Err(PoolFull);
        }
        self.pool.reserved += 1;
        self.pool.peak = self.pool.peak.max(self.pool.used());
        Ok(())
    }

    /// Gives back a reserved slot whose launch will not come.
    ///
    /// # Panics
    /// If none is reserved.
    pub fn release_slot(&mut self) {
        assert!(self.pool.reserved > 0, "no launch slot is reserved");
        self.pool.reserved -= 1;
    }

    /// Sets the size of the pool (`cudaLimitDevRuntimePendingLaunchCount`). Slots in use stay valid.
    pub fn set_pending_launches(&mut self, count: u32) {
        self.pool.size = count;
    }

    /// The size of the pool.
    pub fn pending_launches(&self) -> u32 {
        self.pool.size
    }

    /// Slots in use: reserved ones, and those of grids that are not done.
    pub fn pending(&self) -> u32 {
        self.pool.used()
    }

    /// The most slots that were ever in use at once.
    pub fn peak_pending(&self) -> u32 {
        self.pool.peak
    }

    /// Device events that exist.
    pub fn device_events(&self) -> u32 {
        self.pool.events
    }
}
