//! Device limits (`cudaLimit`), with the defaults that an sm_90 device shows. launch-model.md sections 2.7 and 3.5.

/// `cudaLimit`, `CUlimit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Limit {
    /// Bytes of stack a thread.
    StackSize = 0,
    /// Bytes of the printf FIFO.
    PrintfFifoSize = 1,
    /// Bytes of the heap of device-side `malloc`.
    MallocHeapSize = 2,
    /// Depth of device-side synchronisation: not on this device.
    DevRuntimeSyncDepth = 3,
    /// Slots of the device launch pool.
    DevRuntimePendingLaunchCount = 4,
    /// Granularity of L2 fetches: a hint.
    MaxL2FetchGranularity = 5,
    /// Bytes of L2 set aside for persisting accesses: a hint.
    PersistingL2CacheSize = 6,
}

impl Limit {
    /// The limit of that CUDA number.
    pub fn from_number(number: u32) -> Option<Self> {
        [
            Self::StackSize,
            Self::PrintfFifoSize,
            Self::MallocHeapSize,
            Self::DevRuntimeSyncDepth,
            Self::DevRuntimePendingLaunchCount,
            Self::MaxL2FetchGranularity,
            Self::PersistingL2CacheSize,
        ]
        .into_iter()
        .find(|&limit| limit as u32 == number)
    }
}
