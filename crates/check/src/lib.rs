//! The rules of the launch model, checked while a program runs.
//!
//! Everything found is data: a [`Finding`]. Only the report crate knows how one looks.

mod collect;
mod finding;
pub mod outcome;
mod race;
pub mod rules;
mod shadow;
mod stamp;

pub use collect::Collector;
pub use finding::{
    Access, Action, Bytes, Consequence, Finding, Frame, Launch, Lost, Place, Pool, Report, Shadow, Summary, Thread,
};
pub use race::{
    Access as Touch, Agent, Allocation, BlockOrder, Caller, Checker, DeviceQueue, ItemLabel, Party, Phase, Problem,
    RangeAccess, Waiter,
};
pub use rules::{Rule, Severity};
pub use shadow::Cell;
pub use stamp::{MOST_SITES, Stamp, Strength};
