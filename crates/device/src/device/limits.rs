//! Reading and setting limits. launch-model.md sections 2.7 and 3.5.3.

use super::Device;
use crate::limit::Limit;
use crate::profile;
use crate::status::Status;
use std::sync::atomic::Ordering;

/// Device memory that one slot of the launch pool costs (measured on an H200).
const SLOT_BYTES: u64 = 8200;
/// Smallest pool that an H200 gives, whatever was asked for.
const LEAST_SLOTS: u64 = 32;
/// The largest pool: what an H200 made of a request for 1,048,576 slots.
const MOST_SLOTS: u64 = 599_186;
/// Slots of the pool that a context starts with; they cost nothing extra.
const DEFAULT_SLOTS: u32 = 2048;

/// The limits of a context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitValues {
    stack: u64,
    pub(crate) printf: u64,
    pub(crate) heap: u64,
    pub(crate) pending_launches: u32,
    l2_fetch: u64,
    persisting_l2: u64,
}

impl Default for LimitValues {
    fn default() -> Self {
        Self {
            stack: 1024,
            printf: 8_650_752,
            heap: 8 << 20,
            pending_launches: DEFAULT_SLOTS,
            l2_fetch: 64,
            persisting_l2: 11_796_480,
        }
    }
}

impl LimitValues {
    /// The limits that a context starts with.
    pub(crate) fn new(pool: Option<u32>) -> Self {
        let default = Self::default();
        Self { pending_launches: pool.unwrap_or(default.pending_launches), ..default }
    }

    /// `cudaLimitStackSize` in bytes. Native frames are larger than a GPU's: whoever makes stacks gives several times as much.
    pub(crate) fn stack_bytes(&self) -> u32 {
        u32::try_from(self.stack).unwrap_or(u32::MAX)
    }

    /// Device memory that the launch pool takes.
    pub(crate) fn pool_bytes(&self) -> u64 {
        if self.pending_launches <= DEFAULT_SLOTS { 0 } else { u64::from(self.pending_launches) * SLOT_BYTES }
    }
}

impl Device {
    /// `cudaDeviceGetLimit`. launch-model.md section 2.7.
    ///
    /// # Errors
    /// 215 for a limit that an sm_90 device does not have.
    pub fn limit(&self, limit: Limit) -> Result<u64, Status> {
        let limits = self.limits.lock();
        Ok(match limit {
            Limit::StackSize => limits.stack,
            Limit::PrintfFifoSize => limits.printf,
            Limit::MallocHeapSize => limits.heap,
            Limit::DevRuntimeSyncDepth => return Err(Status::UNSUPPORTED_LIMIT),
            Limit::DevRuntimePendingLaunchCount => u64::from(limits.pending_launches),
            Limit::MaxL2FetchGranularity => limits.l2_fetch,
            Limit::PersistingL2CacheSize => limits.persisting_l2,
        })
    }

    /// `cudaDeviceSetLimit`. What was really set must be read back (launch-model.md section 3.5.3).
    pub fn set_limit(&self, limit: Limit, value: u64) -> Status {
        self.change_limit(limit, value).into()
    }

    fn change_limit(&self, limit: Limit, value: u64) -> Result<(), Status> {
        self.healthy()?;
        match limit {
            Limit::StackSize => {
                let mut limits = self.limits.lock();
                limits.stack = value.clamp(16, 512 << 10).next_multiple_of(16);
                self.stack.store(limits.stack_bytes(), Ordering::Relaxed);
            }
            Limit::PrintfFifoSize => {
                self.drain().ok()?;
                let value = value.max(1024);
                self.printf.set_limit(value);
                self.limits.lock().printf = value;
            }
            Limit::MallocHeapSize => {
                // The heap is made when device code first allocates, and keeps its size from then on.
                let value = value.max(1 << 20).checked_next_multiple_of(4096).ok_or(Status::MEMORY_ALLOCATION)?;
                if self.heap.exists() {
                    return Err(Status::INVALID_VALUE);
                }
                if value > self.mem_info().0 {
                    return Err(Status::MEMORY_ALLOCATION);
                }
                self.limits.lock().heap = value;
            }
            Limit::DevRuntimeSyncDepth => return Err(Status::UNSUPPORTED_LIMIT),
            Limit::DevRuntimePendingLaunchCount if self.pool.is_some() => {
                let slots = self.limits.lock().pending_launches;
                if u64::from(slots) != value
                    && let Some(checking) = &self.checking
                {
                    checking.note(format!(
                        "the launch pool has {slots} slots, as asked on the command line; the program's own {value} is ignored"
                    ));
                }
            }
            Limit::DevRuntimePendingLaunchCount => {
                self.drain().ok()?;
                // An H200 never gives fewer (`litmus/pool.h200.txt`).
                let value = value.max(LEAST_SLOTS);
                let fit = (self.mem_info().0 + self.limits.lock().pool_bytes()) / SLOT_BYTES;
                let slots = value.min(MOST_SLOTS).min(fit.max(u64::from(DEFAULT_SLOTS))) as u32;
                self.engine.with(|state| state.model.set_pending_launches(slots));
                self.limits.lock().pending_launches = slots;
            }
            Limit::MaxL2FetchGranularity => {
                if value > 128 {
                    return Err(Status::INVALID_VALUE);
                }
                self.limits.lock().l2_fetch = if value == 0 { 64 } else { value.next_power_of_two().max(32) };
            }
            Limit::PersistingL2CacheSize => {
                self.limits.lock().persisting_l2 = value.min(u64::from(profile::profile().l2_bytes) / 8 * 5);
            }
        }
        Ok(())
    }

    /// Bytes of the heap of device-side `malloc`.
    pub(crate) fn heap_limit(&self) -> u64 {
        self.limits.lock().heap
    }
}
