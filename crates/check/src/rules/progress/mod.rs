//! Waiting for what may never come (`launch-model.md` 2.6, 3.1.2, 6 and 9). Verdicts come from who waits for whom,
//! never from a time-out.

pub mod barrier;
pub mod pdl_slots;
pub mod residency;
pub mod spin;
