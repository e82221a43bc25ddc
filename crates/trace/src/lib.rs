//! What a run did, and how long that would take on a machine.
//!
//! A run is logged without any time ([`log`]); [`simulate`] plays it on a [`Machine`] and gives a [`Timeline`]; [`chrome`] writes that for
//! Perfetto. Everything here is a model: `docs/trace.md` says how good it is.
#![forbid(unsafe_code)]

pub mod chrome;
pub mod log;
mod machine;
mod simulation;
mod timeline;
mod what_if;

pub use machine::{DeviceLaunches, Edges, Machine};
pub use simulation::{Changes, simulate};
pub use timeline::{BlockSpan, Call, GridSpan, Lane, Launcher, OperationSpan, Timeline};
pub use what_if::{Gain, gains};
