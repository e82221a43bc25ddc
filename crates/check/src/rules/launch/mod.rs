//! Launches from device code that do not happen (`launch-model.md` 3.5 and 3.6).

pub mod config;
pub mod lost_error;
pub mod pool;
