//! Model time: what clocks show under `hotfire check`.
//!
//! A count of nanoseconds that advances by what is executed, never by itself. So two runs of a program read the same times. The
//! amounts are those of a fast GPU, roughly; nothing may be concluded from them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A call of the API, or a launch by device code.
pub(crate) const CALL: u64 = 1_000;
/// A turn of a block.
pub(crate) const TURN: u64 = 500;
/// A thread that lets others run.
const YIELD: u64 = 100;
/// A look at a clock.
const LOOK: u64 = 16;
/// What `%globaltimer` shows at the beginning: some moment in the year 2025.
const EPOCH: u64 = 1_750_000_000_000_000_000;

/// The clock of one device.
#[derive(Debug, Default)]
pub(crate) struct ModelTime {
    now: AtomicU64,
    looks: AtomicU64,
    /// What device threads do takes no time at present.
    frozen: AtomicBool,
}

impl ModelTime {
    /// Nanoseconds since the device was set up.
    pub fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    /// Something took so long.
    pub fn advance(&self, nanoseconds: u64) {
        self.now.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// From now on what device threads do takes no time, or does again. Threads that remember the time look as before while it stands still.
    pub fn freeze(&self, frozen: bool) {
        self.frozen.store(frozen, Ordering::Relaxed);
    }

    /// Something took so long, unless time stands still.
    pub fn pass(&self, nanoseconds: u64) {
        if !self.frozen.load(Ordering::Relaxed) {
            self.advance(nanoseconds);
        }
    }

    /// A thread let others run.
    pub fn yielded(&self) {
        self.pass(YIELD);
    }

    /// A device thread reads its clock.
    pub fn look(&self) -> u64 {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.pass(LOOK);
        self.now()
    }

    /// A device thread reads `%globaltimer`.
    pub fn look_global(&self) -> u64 {
        EPOCH + self.look()
    }

    /// How often device threads read a clock so far.
    pub fn looks(&self) -> u64 {
        self.looks.load(Ordering::Relaxed)
    }
}
