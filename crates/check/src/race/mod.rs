//! Races: two accesses to the same byte, one of them a write, by agents that are not ordered (launch-model 1).
//!
//! Every access of device code, every copy, set and host access comes here before it happens. Its [`View`] says what the agent knows;
//! the shadow says who was there before.
//!
//! # What it can miss
//! Of the readers since the last write two are kept, by preference from different grids, else from different blocks, else different
//! threads; of split words one. A write that is ordered behind the kept ones but not behind a forgotten one goes unreported. Of strong
//! writes only the last is kept. Lanes of one warp that store different values to one cell at the same place count as one
//! instruction (the winner is one of them), also when they come from different rounds of a loop.

mod block;
mod checker;
mod early;
mod fast;
mod graph;
mod launch;
mod mbarrier;
mod range;
mod strong;
mod sync;
mod word;

pub use block::{Allocation, BlockOrder, Party};
pub use checker::{Agent, Checker, ItemLabel};
pub use early::Waiter;
pub use launch::{Caller, DeviceQueue};
pub use mbarrier::Phase;
pub use range::RangeAccess;
pub use word::{Access, Problem};
