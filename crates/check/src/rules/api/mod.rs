//! The host's use of the CUDA API.

pub mod unchecked;
