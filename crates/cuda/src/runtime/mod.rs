//! The runtime API (`cuda…`), by the chapters of its manual.

mod copy;
mod device;
mod entry_point;
mod error;
mod event;
mod function;
mod launch;
mod library;
mod memory;
mod occupancy;
mod pool;
mod properties;
mod set;
mod stream;
mod symbol;

pub(crate) use copy::shape as slices_of;
pub(crate) use launch::kernel;
pub(crate) use symbol::{source as symbol_from, target as symbol_to};
