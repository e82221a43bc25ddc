//! Memory of graphs, and user objects.

use std::ffi::{c_int, c_void};

use hotfire_device::graph::GraphMemory;
use hotfire_device::{Device, Status};

use crate::driver::check_device;
use crate::export::export;
use crate::pointer::Out;
use crate::types::{Handle, HostFunction};

fn attribute(number: u32) -> Result<GraphMemory, Status> {
    Ok(match number {
        0 => GraphMemory::UsedCurrent,
        1 => GraphMemory::UsedHigh,
        2 => GraphMemory::ReservedCurrent,
        3 => GraphMemory::ReservedHigh,
        _ => return Err(Status::INVALID_VALUE),
    })
}

export! {
    /// Bytes that graphs use.
    both fn cudaDeviceGetGraphMemAttribute | cuDeviceGetGraphMemAttribute(device: c_int, number: u32, value: Out<u64>) {
        check_device(device)?;
        value.set(Device::get().graph_memory(attribute(number)?))
    }

    /// Sets a high-water mark back.
    both fn cudaDeviceSetGraphMemAttribute | cuDeviceSetGraphMemAttribute(device: c_int, number: u32, value: Out<u64>) {
        check_device(device)?;
        match (attribute(number)?, value.read()?) {
            (mark @ (GraphMemory::UsedHigh | GraphMemory::ReservedHigh), 0) => {
                Device::get().graph_memory_reset_high(mark == GraphMemory::UsedHigh);
                Ok(())
            }
            _ => Err(Status::INVALID_VALUE),
        }
    }

    /// Gives back what graphs do not use.
    both fn cudaDeviceGraphMemTrim | cuDeviceGraphMemTrim(device: c_int) {
        check_device(device)?;
        Device::get().graph_memory_trim();
        Ok(())
    }

    /// A thing of the program that lives as long as something refers to it.
    both fn cudaUserObjectCreate | cuUserObjectCreate(out: Out<Handle>, data: *mut c_void, destroy: HostFunction, count: u32,
        flags: u32) {
        const NO_SYNC: u32 = 1;
        out.check()?;
        let destroy = destroy.ok_or(Status::INVALID_VALUE)?;
        if flags != NO_SYNC {
            return Err(Status::INVALID_VALUE);
        }
        out.set(Device::get().object_create(destroy, data as u64, count)? as Handle)
    }

    /// More references.
    both fn cudaUserObjectRetain | cuUserObjectRetain(object: Handle, count: u32) {
        Device::get().object_retain(object as u64, count)
    }

    /// Fewer references.
    both fn cudaUserObjectRelease | cuUserObjectRelease(object: Handle, count: u32) {
        Device::get().object_release(object as u64, count)
    }

    /// A graph refers to it.
    both fn cudaGraphRetainUserObject | cuGraphRetainUserObject(graph: Handle, object: Handle, count: u32, flags: u32) {
        const MOVE: u32 = 1;
        if flags & !MOVE != 0 {
            return Err(Status::INVALID_VALUE);
        }
        Device::get().graph_retain(graph as u64, object as u64, count, flags & MOVE != 0)
    }

    /// A graph refers to it no more.
    both fn cudaGraphReleaseUserObject | cuGraphReleaseUserObject(graph: Handle, object: Handle, count: u32) {
        Device::get().graph_release(graph as u64, object as u64, count)
    }
}
