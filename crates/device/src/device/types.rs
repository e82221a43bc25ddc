//! Handles, configurations and descriptions that the device's interface is made of.

use hotfire_launch::Policy;

/// How a device is set up.
#[derive(Clone, Default)]
pub struct Config {
    /// Worker threads; by default `HOTFIRE_WORKERS`, else one a core.
    pub workers: Option<usize>,
    /// Which of the legal schedules runs; by default `HOTFIRE_POLICY` (`eager`, `latest` or `random:SEED`), else eager.
    pub policy: Option<Policy>,
    /// Bytes of device memory to report and to hand out at most; by default the H200's, or what the host has available.
    pub memory: Option<u64>,
    /// Where printf output goes; by default C's standard output, so that it keeps its place among the program's own.
    pub output: Option<fn(&[u8])>,
    /// Whether the device checks the program ([`Device::findings`](super::Device::findings)); `HOTFIRE_CHECK` asks for it too.
    pub check: bool,
    /// Seed of the order in which blocks, and warps within them, start; by default what `HOTFIRE_BLOCK_ORDER` (`random:SEED`) says, else increasing.
    pub block_order: Option<u64>,
    /// Whether, when checking, a programmatic wait covers all that is in front in its stream (launch-model 4.8); by default what
    /// `HOTFIRE_PDL` (`strict` or `inorder`) says, else not.
    pub in_order: Option<bool>,
    /// Slots of the launch pool when checking, whatever the program sets; by default `HOTFIRE_POOL`.
    pub pool: Option<u32>,
}

/// A stream as programs hold it (`cudaStream_t`, `CUstream`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream(pub u64);

impl Stream {
    /// The legacy default stream: 0 (where the entry point is not a per-thread one) and 1.
    pub const LEGACY: Self = Self(1);
    /// The calling thread's default stream: 2, and 0 through `_ptsz` and `_ptds` entry points.
    pub const PER_THREAD: Self = Self(2);
}

/// An event as programs hold it (`cudaEvent_t`, `CUevent`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event(pub u64);

/// What an event is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventFlags {
    /// `cudaEventBlockingSync`
    pub blocking_sync: bool,
    /// `cudaEventDisableTiming`
    pub disable_timing: bool,
}

/// The configuration of one launch. launch-model.md sections 2.1 and 3.6.
#[derive(Clone, Copy, Debug)]
pub struct LaunchConfig {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory a block.
    pub dynamic_shared: u32,
    /// The stream to launch into.
    pub stream: Stream,
    /// What the program calls the kernel: told again when it asks what a captured launch is.
    pub handle: u64,
    /// Everything else.
    pub attributes: LaunchAttributes,
}

/// Launch attributes that change what happens. Others are hints and may be dropped by the caller.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaunchAttributes {
    /// All blocks must be resident together, else the launch fails.
    pub cooperative: bool,
    /// `programmaticStreamSerializationAllowed`: an early start is allowed, never promised.
    pub programmatic_serialization: bool,
    /// An event to record once all blocks have triggered or exited; what waits for it depends on the kernel programmatically.
    pub programmatic_event: Option<Event>,
    /// An event to record once all blocks have begun.
    pub launch_completion_event: Option<Event>,
    /// Cluster dimensions; 1, 1, 1 is the same as none.
    pub cluster: Option<[u32; 3]>,
}

/// What kind of memory an allocation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// `cudaMalloc`, module variables.
    Device,
    /// `cudaMallocManaged` and `__managed__` variables.
    Managed,
    /// `cudaHostAlloc`.
    Host,
    /// `cudaHostRegister`.
    Registered,
}

/// What a pointer points into (`cudaPointerGetAttributes`). Host and device addresses are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// First address.
    pub base: u64,
    /// Bytes that were asked for.
    pub size: u64,
    /// Kind.
    pub kind: MemoryKind,
    /// The flags given to `cudaHostAlloc`, `cudaHostRegister` or `cudaMallocManaged`.
    pub flags: u32,
}
