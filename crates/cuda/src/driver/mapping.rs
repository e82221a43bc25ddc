//! Virtual memory management: addresses, memory, and which lies where. Handles for other processes are refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hotfire_device::memory::{GRANULARITY, Physical};
use hotfire_device::{Device, Status};

use crate::export::export;
use crate::notice;
use crate::pointer::{In, Out};
use crate::table::Table;
use crate::types::{Address, Handle, Location, MemAccessDesc, MemAllocationProp};

const PINNED: u32 = 1;
const ON_DEVICE: u32 = 1;
const READ: u32 = 1;
const READ_WRITE: u32 = 3;

/// Memory as a handle names it.
struct Memory {
    physical: Arc<Physical>,
    prop: MemAllocationProp,
    /// How often the handle was given out and not released.
    count: AtomicU64,
}

static MEMORIES: Table<Memory> = Table::new();

/// Memory of programs before a device reset is gone.
pub(super) fn forget_all() {
    MEMORIES.retain(|_| false);
}

/// Memory on the device, for this process.
fn check(prop: &MemAllocationProp) -> Result<(), Status> {
    let refuse = |what: &str| {
        notice::once(&format!("{what} is not implemented by this device"));
        Err(Status::NOT_SUPPORTED)
    };
    if prop.handle_types != 0 {
        return refuse("memory that other processes may open (cuMemCreate with requestedHandleTypes)");
    }
    if prop.kind != PINNED {
        return Err(Status::INVALID_VALUE);
    }
    match (prop.location.kind, prop.location.id) {
        (ON_DEVICE, 0) => Ok(()),
        (ON_DEVICE, _) => Err(Status::INVALID_DEVICE),
        (2..=4, _) => refuse("memory of the host (cuMemCreate)"),
        _ => Err(Status::INVALID_VALUE),
    }
}

export! {
    /// Bytes that sizes and addresses are multiples of.
    context fn cuMemGetAllocationGranularity(out: Out<usize>, prop: In<MemAllocationProp>, option: u32) {
        out.check()?;
        if option > 1 {
            return Err(Status::INVALID_VALUE);
        }
        check(&prop.get()?)?;
        out.set(GRANULARITY as usize)
    }

    /// Reserves addresses.
    context fn cuMemAddressReserve(out: Out<Address>, size: usize, align: usize, _hint: Address, flags: u64) {
        out.check()?;
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        out.set(Device::get().reserve(size as u64, align as u64)?)
    }

    /// Gives addresses back.
    context fn cuMemAddressFree(address: Address, size: usize) {
        Device::get().unreserve(address, size as u64).ok()
    }

    /// Takes memory. Whether it is compressed nobody can see.
    context fn cuMemCreate(out: Out<Handle>, size: usize, prop: In<MemAllocationProp>, flags: u64) {
        out.check()?;
        let prop = prop.get()?;
        check(&prop)?;
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        let physical = Device::get().physical(size as u64)?;
        out.set(MEMORIES.insert(Arc::new(Memory { physical, prop, count: AtomicU64::new(1) })))
    }

    /// Gives a handle back; what is mapped stays until it is unmapped.
    context fn cuMemRelease(handle: Handle) {
        let memory = MEMORIES.find(handle).ok_or(Status::INVALID_VALUE)?;
        if memory.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            let _ = MEMORIES.remove(handle);
        }
        Ok(())
    }

    /// Maps memory, without access.
    context fn cuMemMap(address: Address, size: usize, offset: usize, handle: Handle, flags: u64) {
        let memory = MEMORIES.find(handle).ok_or(Status::INVALID_VALUE)?;
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        Device::get().map(address, size as u64, &memory.physical, offset as u64).ok()
    }

    /// Unmaps memory.
    context fn cuMemUnmap(address: Address, size: usize) {
        Device::get().unmap(address, size as u64).ok()
    }

    /// Gives access to what is mapped, or takes it.
    context fn cuMemSetAccess(address: Address, size: usize, descs: In<MemAccessDesc>, count: usize) {
        if count == 0 {
            return Err(Status::INVALID_VALUE);
        }
        for index in 0..count {
            let desc = descs.get_at(index)?;
            match (desc.location.kind, desc.location.id) {
                (ON_DEVICE, 0) => {}
                (ON_DEVICE, _) => return Err(Status::INVALID_DEVICE),
                (2..=4, _) => {
                    notice::once("access by the host to mapped memory (cuMemSetAccess) is not implemented by this device");
                    return Err(Status::NOT_SUPPORTED);
                }
                _ => return Err(Status::INVALID_VALUE),
            }
            let open = match desc.flags {
                0 => false,
                READ_WRITE => true,
                READ => {
                    notice::once("mapped memory for reading only (cuMemSetAccess) is not implemented by this device");
                    return Err(Status::NOT_SUPPORTED);
                }
                _ => return Err(Status::INVALID_VALUE),
            };
            Device::get().set_access(address, size as u64, open).ok()?;
        }
        Ok(())
    }

    /// Whether there is access to what is mapped.
    context fn cuMemGetAccess(flags: Out<u64>, location: In<Location>, address: Address) {
        flags.check()?;
        let location = location.get()?;
        if location.kind != ON_DEVICE || location.id != 0 {
            return Err(Status::INVALID_VALUE);
        }
        let open = Device::get().has_access(address).ok_or(Status::INVALID_VALUE)?;
        flags.set(if open { u64::from(READ_WRITE) } else { 0 })
    }

    /// What memory was made as.
    context fn cuMemGetAllocationPropertiesFromHandle(out: Out<MemAllocationProp>, handle: Handle) {
        out.set(MEMORIES.find(handle).ok_or(Status::INVALID_VALUE)?.prop)
    }

    /// A handle of the memory that is mapped at an address; the one that made it, if that is still in use.
    context fn cuMemRetainAllocationHandle(out: Out<Handle>, address: Address) {
        out.check()?;
        let physical = Device::get().physical_at(address).ok_or(Status::INVALID_VALUE)?;
        let known = MEMORIES.handle(|memory| Arc::ptr_eq(&memory.physical, &physical));
        let handle = match known.and_then(|handle| Some((handle, MEMORIES.find(handle)?))) {
            Some((handle, memory)) => {
                memory.count.fetch_add(1, Ordering::AcqRel);
                handle
            }
            None => {
                let location = Location { kind: ON_DEVICE, id: 0 };
                let prop = MemAllocationProp { kind: PINNED, location, ..MemAllocationProp::default() };
                MEMORIES.insert(Arc::new(Memory { physical, prop, count: AtomicU64::new(1) }))
            }
        };
        out.set(handle)
    }
}
