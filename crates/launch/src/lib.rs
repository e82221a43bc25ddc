//! The CUDA launch model as a state machine: which grid may start when, and when it is over.
//!
//! What it models, section by section of `launch-model.md`: host streams, the legacy default stream and events
//! (2.2); the tree of device launches and its completion (3.1); the four kinds of device stream (3.2); tail order
//! (3.3); the launch pool and the event pool (3.5); programmatic dependent launch (4); graphs, whose nodes are items within the item of
//! their launch (5). It knows neither threads nor clocks nor memory: a device asks for
//! an [`Item`] to start with [`Model::next`], runs it however it likes, says [`Model::finished`], and learns from
//! [`Model::drain_completed`] what is over. A [`Policy`] chooses among the items that may start.
//!
//! # Shape
//! An *item* is a grid, an operation (copy, set, host function) or a marker (a recorded event, a wait). Items hang
//! together by typed [edges](EdgeKind): an item may start when all edges into it are satisfied. Nothing else orders
//! items, and every edge is satisfied in one place (`Model::satisfy`). A programmatic edge ends before its source is complete:
//! the device says [`Model::reached`]; such an item is then not done before its source is complete.
//!
//! # Stages of a grid
//! waiting -> startable -> running -> exited (its blocks) -> done (its non-tail launches too) -> complete (its tails too).
//!
//! A tail grid that is done hands the tails that it launched itself to the tail stream in which it stands, directly
//! behind it, and is complete. This is the rule "the tail stream sits before the next grid in the stream in which the
//! grid itself runs" (3.3), read literally: whatever waits for the tail waits for them too. A chain of self tail
//! launches therefore needs memory for two grids, however long it is.
//!
//! # Cost
//! Every call is O(1) amortised and iterative, under the policies `Eager` and `Random`; memory is proportional to the
//! items that are not complete and drained (and, in the other policies, to the log of choices).
#![forbid(unsafe_code)]

mod children;
mod completion;
mod early;
mod edge;
mod handle;
mod host;
mod model;
mod node;
pub mod order;
mod owned;
mod policy;
mod pool;
pub mod recording;
mod within;

pub use children::{DeviceLaunchStream, LaunchError};
pub use early::Early;
pub use edge::EdgeKind;
pub use handle::{DeviceEvent, DeviceStream, Item, Stream};
pub use host::StreamKind;
pub use model::{Limits, Model};
pub use node::{Stage, Work};
pub use policy::{Choice, Policy, Situation};
pub use pool::{EventPoolFull, PoolFull};
pub use within::GraphEdge;
