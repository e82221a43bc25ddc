//! PTX text to a typed module, from one instruction table.

pub mod ast;
mod diagnostic;
mod table;

pub use diagnostic::Diagnostic;
pub use table::Opcode;
