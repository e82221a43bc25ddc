//! Numbers that both APIs answer about the device beyond [`hotfire_device::Device::attribute`].

use hotfire_device::{Device, Status};

/// Fails for every device but 0.
pub(crate) fn check_device(device: i32) -> Result<(), Status> {
    if device == 0 { Ok(()) } else { Err(Status::INVALID_DEVICE) }
}

/// `cuDeviceGetAttribute`; an attribute of a number that CUDA does not have is an invalid value.
pub(crate) fn attribute(number: u32) -> Result<i32, Status> {
    Device::get().attribute(number).ok_or(Status::INVALID_VALUE)
}

/// The device's UUID: no GPU has it. It spells "Hotfire" and its compute capability.
pub(crate) fn uuid() -> [u8; 16] {
    let mut uuid = *b"Hotfire\0sm_00\0\0\0";
    let number = hotfire_device::profile::profile().capability;
    (uuid[11], uuid[12]) = (b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8);
    uuid
}

/// `cuDeviceGetPCIBusId`: domain, bus and device numbers as the attributes give them.
pub(crate) fn bus_id() -> String {
    let number = |attribute| Device::get().attribute(attribute).unwrap_or_default();
    format!("{:04x}:{:02x}:{:02x}.0", number(50), number(33), number(34))
}

/// The device of a PCI bus id, in any of the forms that CUDA accepts.
pub(crate) fn by_bus_id(text: &str) -> Result<i32, Status> {
    let ours = bus_id();
    let known = text.eq_ignore_ascii_case(&ours)
        || ours.strip_suffix(".0").is_some_and(|short| text.eq_ignore_ascii_case(short))
        || ours.split_once(':').is_some_and(|(_, short)| text.eq_ignore_ascii_case(short));
    if known { Ok(0) } else { Err(Status::INVALID_DEVICE) }
}

/// `CU_DEVICE_P2P_ATTRIBUTE_…`: a device is no peer of itself, and there is no other.
pub(crate) fn peer(source: i32, destination: i32) -> Result<i32, Status> {
    check_device(source)?;
    check_device(destination)?;
    Ok(0)
}

/// Least and greatest stream priority, as an H200 answers.
pub(crate) const PRIORITIES: (i32, i32) = (0, -5);
