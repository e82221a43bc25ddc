//! Sparse matrices: read from files, or generated. What the examples have in common.

pub mod generate;
pub mod market;
pub mod matrix;
