//! Memory of graphs (CUDA guide, "Graph memory nodes"): an address from the time when the node is added, memory from the time when the
//! node runs to when it is freed, by a node, `cudaFreeAsync` or `cudaFree`.
//!
//! An address is kept as long as a graph or an executable graph has its node. Two states are told apart: what launches have *promised*, in the
//! order of host calls, by which calls are judged; and what is *live* as nodes run.

use crate::device::Device;
use crate::memory::Kind;
use crate::status::Status;
use parking_lot::Mutex;
use std::collections::HashMap;

#[derive(Debug)]
struct Reserved {
    bytes: u64,
    /// Nodes that have it.
    holders: u32,
    promised: bool,
    live: bool,
}

#[derive(Debug, Default)]
struct Table {
    reserved: HashMap<u64, Reserved>,
    /// Bytes that are live, and the most that were.
    used: [u64; 2],
    /// Bytes that are kept for what graphs allocate next, and the most that were: as many as were ever live at once since the last trim.
    kept: [u64; 2],
}

/// `cudaGraphMemAttributeType`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphMemory {
    /// Bytes that are allocated.
    UsedCurrent,
    /// The most that ever were.
    UsedHigh,
    /// Bytes that are kept for graphs.
    ReservedCurrent,
    /// The most that ever were.
    ReservedHigh,
}

/// All of it.
#[derive(Debug, Default)]
pub(crate) struct GraphMemories(Mutex<Table>);

impl Table {
    fn give_back(&mut self, device: &Device, address: u64) {
        if let Some(reserved) = self.reserved.get(&address)
            && reserved.holders == 0
            && !reserved.live
        {
            self.reserved.remove(&address);
            let _ = device.memory().free(address);
        }
    }
}

impl GraphMemories {
    /// An address for a node.
    pub fn reserve(&self, device: &Device, bytes: u64) -> Result<u64, Status> {
        if bytes == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let address = device.memory().alloc(Kind::Device, bytes, 512).ok_or(Status::MEMORY_ALLOCATION)?;
        let reserved = Reserved { bytes, holders: 1, promised: false, live: false };
        self.0.lock().reserved.insert(address, reserved);
        Ok(address)
    }

    /// One node more has an address.
    pub fn hold(&self, address: u64) {
        if let Some(reserved) = self.0.lock().reserved.get_mut(&address) {
            reserved.holders += 1;
        }
    }

    /// One node less has it.
    pub fn unreserve(&self, device: &Device, address: u64) {
        let mut table = self.0.lock();
        if let Some(reserved) = table.reserved.get_mut(&address) {
            reserved.holders -= 1;
        }
        table.give_back(device, address);
    }

    /// Whether an address is memory of a graph.
    pub fn owns(&self, address: u64) -> bool {
        self.0.lock().reserved.contains_key(&address)
    }

    /// Whether a launch has promised it, and no later call has freed it.
    pub fn is_promised(&self, address: u64) -> bool {
        self.0.lock().reserved.get(&address).is_some_and(|reserved| reserved.promised)
    }

    /// A host call allocates or frees it, sooner or later.
    pub fn promise(&self, address: u64, promised: bool) {
        if let Some(reserved) = self.0.lock().reserved.get_mut(&address) {
            reserved.promised = promised;
        }
    }

    /// A node allocates it. Its bytes.
    pub fn allocate(&self, address: u64) -> u64 {
        let mut table = self.0.lock();
        let Table { reserved, used, kept } = &mut *table;
        let Some(reserved) = reserved.get_mut(&address) else { return 0 };
        if !std::mem::replace(&mut reserved.live, true) {
            used[0] += reserved.bytes;
            used[1] = used[1].max(used[0]);
            kept[0] = kept[0].max(used[0]);
            kept[1] = kept[1].max(kept[0]);
        }
        reserved.bytes
    }

    /// Somebody frees it; false if it is not live.
    pub fn free(&self, device: &Device, address: u64) -> bool {
        let mut table = self.0.lock();
        let Table { reserved, used, .. } = &mut *table;
        let Some(reserved) = reserved.get_mut(&address) else { return false };
        let was = std::mem::replace(&mut reserved.live, false);
        if was {
            used[0] -= reserved.bytes;
        }
        table.give_back(device, address);
        was
    }

    /// The device was reset, its memory is gone.
    pub fn reset(&self) {
        *self.0.lock() = Table::default();
    }
}

impl Device {
    /// `cudaDeviceGetGraphMemAttribute`, in bytes.
    pub fn graph_memory(&self, which: GraphMemory) -> u64 {
        let table = self.graph_memory.0.lock();
        match which {
            GraphMemory::UsedCurrent => table.used[0],
            GraphMemory::UsedHigh => table.used[1],
            GraphMemory::ReservedCurrent => table.kept[0],
            GraphMemory::ReservedHigh => table.kept[1],
        }
    }

    /// `cudaDeviceSetGraphMemAttribute`: a high-water mark begins anew.
    pub fn graph_memory_reset_high(&self, used: bool) {
        let mut table = self.graph_memory.0.lock();
        let mark = if used { &mut table.used } else { &mut table.kept };
        mark[1] = mark[0];
    }

    /// `cudaDeviceGraphMemTrim`: what is not allocated is not kept.
    pub fn graph_memory_trim(&self) {
        let mut table = self.graph_memory.0.lock();
        table.kept[0] = table.used[0];
    }
}
