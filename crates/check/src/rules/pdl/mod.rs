//! Programmatic dependent launch: waits that are missing or weaker than they look (`launch-model.md` section 4).

pub mod chain;
pub mod no_wait;
pub mod non_coherent;
pub mod partial_wait;
