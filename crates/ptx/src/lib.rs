//! PTX text to a typed module, from one instruction table.
//!
//! [`parse`] reads one text, [`link`] joins several. [`reach`] says what a kernel can call, [`cdp1_calls`] which code belongs to the first
//! version of dynamic parallelism. What instructions look like is in [`table`]; what they do is not this crate's business.
#![forbid(unsafe_code)]

pub mod ast;
mod cdp1;
mod diagnostic;
mod form;
mod hash;
mod lexer;
mod link;
mod parser;
mod reach;
pub mod table;
mod types;
mod verify;
mod words;

pub use cdp1::{Cdp1Call, cdp1_calls};
pub use diagnostic::Diagnostic;
pub use link::link;
pub use parser::parse;
pub use reach::{Reach, reach};
pub use table::Opcode;
