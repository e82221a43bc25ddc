//! A guard does not outlive the memory.
use hotfire_host::{Device, Done, Mapped, Reading, Result};

fn dangling(device: &Device) -> Result<Reading<'static, u32>> {
    let values = Mapped::from_slice(device, &[1u32])?;
    values.read(&Done::NOTHING)
}

fn main() {}
