//! hotfire-device

pub mod exec;
pub mod memory;
