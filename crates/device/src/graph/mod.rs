//! Graphs (launch-model 5; CUDA guide, "CUDA Graphs"): work that is described once and launched often.
//!
//! `description` is what programs build, by hand or by `capture`; `exec` what is made of it, a `body` in which all is prepared; `run` is
//! a launch of that.

mod body;
mod capture;
mod description;
mod dot;
mod exec;
mod memory;
mod objects;
mod params;
mod queued;
mod run;

pub use body::Refusal;
pub(crate) use body::{Body, Work};
pub use capture::{CaptureInfo, CaptureMode, exchange_capture_mode};
pub(crate) use description::Graphs;
pub(crate) use exec::Exec;
pub use exec::UpdateResult;
pub(crate) use memory::GraphMemories;
pub use memory::GraphMemory;
pub use params::{
    AllocNode, Arguments, ConditionalKind, ConditionalNode, EdgeData, HostNode, KernelNode, NodeParams, NodeType,
};
pub(crate) use run::{Decision, Expansion, Name, Run};
