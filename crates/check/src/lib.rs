//! The rules of the launch model, checked while a program runs.
//!
//! Everything found is data: a [`Finding`]. Only the report crate knows how one looks.

mod collect;
mod finding;
pub mod rules;

pub use collect::Collector;
pub use finding::{
    Access, Action, Bytes, Consequence, Finding, Frame, Launch, Lost, Place, Pool, Report, Summary, Thread,
};
pub use rules::{Rule, Severity};
