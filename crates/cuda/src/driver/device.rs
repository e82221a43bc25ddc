//! Initialisation, versions and device management.

use std::ffi::{c_char, c_int};

use hotfire_device::{Status, profile};

use super::attribute::{attribute, bus_id, by_bus_id, check_device, peer};
use crate::context;
use crate::export::export;
use crate::notice;
use crate::pointer::{Out, Text, put_text};
use crate::types::{DriverProperties, Handle, Uuid};

/// The CUDA version that both APIs say they are.
pub(crate) const VERSION: i32 = 13000;

export! {
    /// Must come first.
    driver fn cuInit(flags: u32) {
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        context::initialise()
    }

    /// The CUDA version of the driver.
    driver fn cuDriverGetVersion(version: Out<c_int>) {
        version.set(VERSION)
    }

    /// The device of an ordinal.
    driver fn cuDeviceGet(device: Out<c_int>, ordinal: c_int) {
        context::require_initialised()?;
        check_device(ordinal)?;
        device.set(0)
    }

    /// How many devices there are: one.
    driver fn cuDeviceGetCount(count: Out<c_int>) {
        context::require_initialised()?;
        count.set(1)
    }

    /// The device's name.
    driver fn cuDeviceGetName(name: Out<c_char>, room: c_int, device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        put_text(&name, room, &profile::profile().name)
    }

    /// The device's UUID.
    driver fn cuDeviceGetUuid(uuid: Out<Uuid>, device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        uuid.set(super::attribute::uuid())
    }

    /// The device's UUID; without MIG the same.
    driver fn cuDeviceGetUuid_v2(uuid: Out<Uuid>, device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        uuid.set(super::attribute::uuid())
    }

    /// Bytes of device memory.
    driver fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        bytes.set(hotfire_device::Device::get().mem_info().1 as usize)
    }

    /// One number about the device.
    driver fn cuDeviceGetAttribute(value: Out<c_int>, number: u32, device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        value.set(attribute(number)?)
    }

    /// Compute capability (deprecated form).
    driver fn cuDeviceComputeCapability(major: Out<c_int>, minor: Out<c_int>, device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        major.set(attribute(75)?)?;
        minor.set(attribute(76)?)
    }

    /// Several numbers about the device (deprecated form).
    driver fn cuDeviceGetProperties(properties: Out<DriverProperties>, device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        properties.set(DriverProperties {
            max_threads_per_block: attribute(1)?,
            max_threads_dim: [attribute(2)?, attribute(3)?, attribute(4)?],
            max_grid_size: [attribute(5)?, attribute(6)?, attribute(7)?],
            shared_mem_per_block: attribute(8)?,
            total_constant_memory: attribute(9)?,
            simd_width: attribute(10)?,
            mem_pitch: attribute(11)?,
            regs_per_block: attribute(12)?,
            clock_rate: attribute(13)?,
            texture_align: attribute(14)?,
        })
    }

    /// The device of a PCI bus id.
    driver fn cuDeviceGetByPCIBusId(device: Out<c_int>, id: Text) {
        context::require_initialised()?;
        device.set(by_bus_id(id.get()?)?)
    }

    /// The PCI bus id that the device says it has.
    driver fn cuDeviceGetPCIBusId(id: Out<c_char>, room: c_int, device: c_int) {
        context::require_initialised()?;
        check_device(device)?;
        put_text(&id, room, &bus_id())
    }

    /// Whether one device can reach another's memory: there is no other.
    driver fn cuDeviceCanAccessPeer(can: Out<c_int>, device: c_int, other: c_int) {
        context::require_initialised()?;
        can.set(peer(device, other)?)
    }

    /// What two devices can do with each other.
    driver fn cuDeviceGetP2PAttribute(value: Out<c_int>, _attribute: u32, source: c_int, destination: c_int) {
        context::require_initialised()?;
        peer(source, destination)?;
        if source == destination {
            return Err(Status::INVALID_DEVICE);
        }
        value.set(0)
    }

    /// NVIDIA's private interfaces: not offered.
    driver fn cuGetExportTable(table: Out<*const Handle>, _id: *const Uuid) {
        table.set_if_wanted(std::ptr::null());
        notice::once(
            "cuGetExportTable is a private interface of NVIDIA's driver and not offered; if the caller is a static CUDA \
             runtime in a library that was loaded late, link it with -cudart shared",
        );
        Err(Status::NOT_SUPPORTED)
    }
}
