//! Device management, versions, peers, the profiler.

use std::ffi::{c_char, c_int, c_void};

use hotfire_device::{Device, Status};

use crate::driver::{PRIORITIES, VERSION, attribute, bus_id, by_bus_id, check_device, limit, peer};
use crate::export::export;
use crate::pointer::{Out, Text, put_text};
use crate::types::Uuid;
use crate::{context, notice, thread};

/// The flags that `cudaSetDeviceFlags` knows: scheduling, mapped host memory, local memory, synchronous copies.
const DEVICE_FLAGS: u32 = 0x9f;

export! {
    /// How many devices there are: one.
    runtime_plain fn cudaGetDeviceCount(count: Out<c_int>) {
        context::initialise()?;
        count.set(1)
    }

    /// The current device.
    runtime_plain fn cudaGetDevice(device: Out<c_int>) {
        device.set(0)
    }

    /// Makes a device current.
    runtime fn cudaSetDevice(device: c_int) {
        check_device(device)
    }

    /// Prepares a device without making it current.
    runtime fn cudaInitDevice(device: c_int, _flags: u32, _which: u32) {
        check_device(device)
    }

    /// Which devices may be chosen: there is one.
    runtime_plain fn cudaSetValidDevices(devices: crate::pointer::In<c_int>, count: c_int) {
        for index in 0..usize::try_from(count).map_err(|_| Status::INVALID_VALUE)? {
            check_device(devices.get_at(index)?)?;
        }
        Ok(())
    }

    /// How the host waits.
    runtime_plain fn cudaSetDeviceFlags(flags: u32) {
        if flags & !DEVICE_FLAGS != 0 {
            return Err(Status::INVALID_VALUE);
        }
        context::initialise()?;
        context::set_primary_flags(flags);
        Ok(())
    }

    /// How the host waits.
    runtime_plain fn cudaGetDeviceFlags(flags: Out<u32>) {
        const MAP_HOST: u32 = 8;
        flags.set(context::primary_state().0 | MAP_HOST)
    }

    /// One number about the device.
    runtime_plain fn cudaDeviceGetAttribute(value: Out<c_int>, number: u32, device: c_int) {
        value.check()?;
        check_device(device)?;
        value.set(attribute(number)?)
    }

    /// Waits for all work.
    runtime fn cudaDeviceSynchronize() {
        Device::get().synchronize().ok()
    }

    /// Ends all work and frees everything.
    runtime_plain fn cudaDeviceReset() {
        context::initialise()?;
        thread::set_current(std::ptr::null_mut())?;
        let _ = thread::take_last_error();
        context::reset_primary()
    }

    /// Sets a limit.
    runtime fn cudaDeviceSetLimit(number: u32, value: usize) {
        Device::get().set_limit(limit(number)?, value as u64).ok()
    }

    /// Reads a limit.
    runtime fn cudaDeviceGetLimit(value: Out<usize>, number: u32) {
        value.check()?;
        value.set(Device::get().limit(limit(number)?)? as usize)
    }

    /// The cache preference: there is no cache to configure.
    runtime fn cudaDeviceGetCacheConfig(config: Out<u32>) {
        config.set(0)
    }

    /// The cache preference: a hint.
    runtime fn cudaDeviceSetCacheConfig(_config: u32) {
        Ok(())
    }

    /// Bank width: fixed on sm_90.
    runtime fn cudaDeviceGetSharedMemConfig(config: Out<u32>) {
        config.set(1)
    }

    /// Bank width: has no effect on sm_90.
    runtime fn cudaDeviceSetSharedMemConfig(_config: u32) {
        Ok(())
    }

    /// Least and greatest priority of streams.
    runtime fn cudaDeviceGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) {
        least.set_if_wanted(PRIORITIES.0);
        greatest.set_if_wanted(PRIORITIES.1);
        Ok(())
    }

    /// Persisting lines of the L2 cache: a hint.
    runtime fn cudaCtxResetPersistingL2Cache() {
        Ok(())
    }

    /// The device of a PCI bus id.
    runtime_plain fn cudaDeviceGetByPCIBusId(device: Out<c_int>, id: Text) {
        device.set(by_bus_id(id.get()?)?)
    }

    /// The PCI bus id that the device says it has.
    runtime_plain fn cudaDeviceGetPCIBusId(id: Out<c_char>, room: c_int, device: c_int) {
        check_device(device)?;
        put_text(&id, room, &bus_id())
    }

    /// Whether one device can reach another's memory: there is no other.
    runtime_plain fn cudaDeviceCanAccessPeer(can: Out<c_int>, device: c_int, other: c_int) {
        can.set(peer(device, other)?)
    }

    /// Reaching another device's memory: there is no other.
    runtime fn cudaDeviceEnablePeerAccess(_device: c_int, _flags: u32) {
        Err(Status::INVALID_DEVICE)
    }

    /// Takes back what cannot have been enabled.
    runtime fn cudaDeviceDisablePeerAccess(device: c_int) {
        check_device(device)?;
        Err(Status(705)) // cudaErrorPeerAccessNotEnabled
    }

    /// What two devices can do with each other.
    runtime_plain fn cudaDeviceGetP2PAttribute(_value: Out<c_int>, _attribute: u32, _source: c_int, _destination: c_int) {
        Err(Status::INVALID_DEVICE)
    }

    /// Lines of remote writes: there are none to flush.
    runtime fn cudaDeviceFlushGPUDirectRDMAWrites(_target: u32, _scope: u32) {
        Err(Status::NOT_SUPPORTED)
    }

    /// The CUDA version of the driver.
    runtime_plain fn cudaDriverGetVersion(version: Out<c_int>) {
        version.set(VERSION)
    }

    /// The CUDA version of the runtime.
    runtime_plain fn cudaRuntimeGetVersion(version: Out<c_int>) {
        version.set(VERSION)
    }

    /// Starts the profiler: there is none.
    runtime fn cudaProfilerStart() {
        Ok(())
    }

    /// Stops the profiler: there is none.
    runtime fn cudaProfilerStop() {
        Ok(())
    }

    /// NVIDIA's private interfaces: not offered.
    runtime_plain fn cudaGetExportTable(table: Out<*const c_void>, _id: *const Uuid) {
        table.set_if_wanted(std::ptr::null());
        notice::once("cudaGetExportTable is a private interface of NVIDIA's runtime and not offered");
        Err(Status::NOT_SUPPORTED)
    }
}
