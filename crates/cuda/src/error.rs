//! Names and one-line meanings of the error codes: the device's table, which device code asks too.

pub(crate) use hotfire_device::error::{driver_name, meaning, runtime_name};
