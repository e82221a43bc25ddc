//! The address ranges that blocks live in, one set for the process: signal handlers must find them without being told.

use super::stack::Stacks;
use super::window::Windows;
use std::io;
use std::sync::OnceLock;

/// Stacks and windows.
#[derive(Debug)]
pub struct Regions {
    /// Local memory.
    pub stacks: Stacks,
    /// Shared memory.
    pub windows: Windows,
}

static REGIONS: OnceLock<Regions> = OnceLock::new();

/// The regions, if any worker was ever made. Async-signal-safe.
pub fn existing() -> Option<&'static Regions> {
    REGIONS.get()
}

/// The regions; reserved on the first call.
///
/// # Errors
/// The operating system's.
pub fn get() -> io::Result<&'static Regions> {
    if let Some(regions) = REGIONS.get() {
        return Ok(regions);
    }
    let regions = Regions { stacks: Stacks::new()?, windows: Windows::new()? };
    Ok(REGIONS.get_or_init(|| regions))
}
