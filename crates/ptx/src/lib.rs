//! PTX text to a typed module, from one instruction table.
#![forbid(unsafe_code)]

pub mod ast;
mod cdp1;
mod diagnostic;
mod lexer;
mod link;
mod parser;
pub mod table;
mod verify;
mod words;

pub use cdp1::{Cdp1Call, cdp1_calls};
pub use diagnostic::Diagnostic;
pub use link::link;
pub use parser::parse;
pub use table::Opcode;
