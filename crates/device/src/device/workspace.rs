//! Where the blocks of a cooperative launch meet (`cooperative_groups::this_grid().sync()`).
//!
//! Compiled code finds it through `%envreg1` and `%envreg2` (CUDA's public header `cooperative_groups/details/driver_abi.h`): a word with
//! its size, and a word that blocks count in, zero at first.

use super::Device;
use crate::memory::Kind;
use crate::status::Status;

/// Bytes of one.
const BYTES: u64 = 64;

/// A workspace of one grid; used again when the grid is gone.
pub(crate) struct Workspace {
    device: &'static Device,
    /// Of which reset it is.
    epoch: u64,
    address: u64,
}

impl Workspace {
    /// One that is zero.
    pub fn new(device: &'static Device) -> Result<Self, Status> {
        let epoch = device.epoch();
        let idle = || {
            let mut idle = device.workspaces.lock();
            idle.retain(|&(of, _)| of == epoch);
            idle.pop().map(|(_, address)| address)
        };
        let address =
            idle().or_else(|| device.memory().alloc(Kind::Module, BYTES, BYTES)).ok_or(Status::MEMORY_ALLOCATION)?;
        // SAFETY: an allocation of that many bytes, which no grid uses.
        unsafe {
            std::ptr::write_bytes(address as *mut u8, 0, BYTES as usize);
            (address as *mut u32).write(BYTES as u32);
        }
        if let Some(checking) = &device.checking {
            // Whoever had it before is nobody to the new grid.
            checking.checker(|checker| checker.preset(address, BYTES));
        }
        Ok(Self { device, epoch, address })
    }

    /// Where it is.
    pub fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        self.device.workspaces.lock().push((self.epoch, self.address));
    }
}
