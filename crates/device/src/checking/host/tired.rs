//! Code that trapped very often: a loop over much memory would trap at each step of it, for minutes.
//!
//! What such code touches opens page by page, at its first trap there, until the next synchronisation; over a whole run it may trap ever
//! less. So the first thousands of accesses between two synchronisations are seen one by one, and later ones are taken to be alike.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Traps of one instruction between synchronisations.
const LIMIT: u32 = super::range::LIMIT as u32;
/// Traps of one instruction in a run, from which on it may have only [`FEW`] between synchronisations.
const MANY: u32 = 2 * LIMIT;
const FEW: u32 = 64;
const SLOTS: usize = 1024;

struct Slot {
    /// The instruction's address.
    code: AtomicU64,
    /// Traps in all.
    all: AtomicU32,
    /// Traps since the synchronisation of that number.
    recent: AtomicU32,
    period: AtomicU32,
}

/// Traps by instruction. Two that share a slot push each other out, which only makes them less tired.
static TABLE: [Slot; SLOTS] = [const {
    Slot { code: AtomicU64::new(0), all: AtomicU32::new(0), recent: AtomicU32::new(0), period: AtomicU32::new(0) }
}; SLOTS];
/// Counts synchronisations.
static PERIOD: AtomicU32 = AtomicU32::new(0);

/// The host synchronised.
pub fn rested() {
    PERIOD.fetch_add(1, Ordering::Relaxed);
}

/// Counts a trap of an instruction; true if what it touches should open. In a handler.
pub fn is_tired(code: u64) -> bool {
    let slot = &TABLE[(code ^ (code >> 10)) as usize % SLOTS];
    if slot.code.swap(code, Ordering::Relaxed) != code {
        slot.all.store(0, Ordering::Relaxed);
        slot.recent.store(0, Ordering::Relaxed);
    }
    let period = PERIOD.load(Ordering::Relaxed);
    if slot.period.swap(period, Ordering::Relaxed) != period {
        slot.recent.store(0, Ordering::Relaxed);
    }
    let all = slot.all.fetch_add(1, Ordering::Relaxed);
    let recent = slot.recent.fetch_add(1, Ordering::Relaxed);
    recent >= if all < MANY { LIMIT } else { FEW }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_tires_and_rests() {
        let code = 0x1234_5678_9abc;
        assert_eq!((0..2 * LIMIT).filter(|_| is_tired(code)).count() as u32, LIMIT);
        rested();
        assert!(!is_tired(code));
        (0..MANY).for_each(|_| {
            is_tired(code);
        });
        rested();
        assert_eq!((0..LIMIT).filter(|_| !is_tired(code)).count() as u32, FEW);
        assert!(!is_tired(code + 1));
    }
}
