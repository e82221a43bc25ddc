//! Accesses that are wrong whatever the order (`launch-model.md` 3.5, 3.7, 6).

pub mod alignment;
pub mod bounds;
pub mod freed;
pub mod heap;
pub mod params;
pub mod uninitialised;
