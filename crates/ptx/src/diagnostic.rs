//! An error with a place.

use crate::ast::Location;
use std::fmt;

/// What is wrong with a PTX text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// One sentence, without a final full stop.
    pub message: String,
    /// Where.
    pub location: Location,
}

impl Diagnostic {
    /// An error at a place.
    pub fn new(location: Location, message: impl Into<String>) -> Self {
        Self { message: message.into(), location }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.location.line, self.location.column, self.message)
    }
}

impl std::error::Error for Diagnostic {}
