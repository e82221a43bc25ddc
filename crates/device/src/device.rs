//! The device as the C API sees it: one object whose methods are CUDA's verbs. launch-model.md section 2.
//!
//! Handles of streams and events are plain numbers, checked at every use, so that the C API may hand them to programs
//! as they are.

use crate::copy::{Copy3d, Direction, Fill3d, Mode};
use crate::limit::Limit;
use crate::module::{Function, LoadError, Module};
use crate::status::Status;
use hotfire_ptx::ast;
use std::sync::Arc;

/// How a device is set up.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Worker threads; by default `HOTFIRE_WORKERS`, else one a core.
    pub workers: Option<usize>,
    /// Bytes of device memory to report and to hand out at most; by default the H200's, or what the host has available.
    pub memory: Option<u64>,
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
    /// Everything else.
    pub attributes: LaunchAttributes,
}

/// Launch attributes that change what happens. Others are hints and may be dropped by the caller.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaunchAttributes {
    /// All blocks must be resident together, else the launch fails.
    pub cooperative: bool,
    /// `programmaticStreamSerializationAllowed`: an early start is allowed, never promised; this device serialises.
    pub programmatic_serialization: bool,
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

/// A CUDA device made of software.
pub struct Device {
    _private: (),
}

impl Device {
    /// The process's device, set up at the first call.
    pub fn get() -> &'static Self {
        static DEVICE: std::sync::OnceLock<&'static Device> = std::sync::OnceLock::new();
        DEVICE.get_or_init(|| Self::new(Config::default()))
    }

    /// A further device; it lives as long as the process.
    pub fn new(config: Config) -> &'static Self {
        let _ = config;
        Box::leak(Box::new(Self { _private: () }))
    }

    /// The sticky error, if a grid has faulted since the last [`Device::reset`]. Every call that CUDA makes answer it does so by itself.
    pub fn sticky(&self) -> Status {
        Status::NOT_SUPPORTED
    }

    /// Waits until all work is complete (`cudaDeviceSynchronize`); printf output is flushed.
    pub fn synchronize(&self) -> Status {
        Status::NOT_SUPPORTED
    }

    /// `cudaDeviceReset`: ends all work, frees all memory, unloads all modules, forgets the sticky error.
    pub fn reset(&self) -> Status {
        Status::NOT_SUPPORTED
    }

    /// `cudaMalloc`. 0 bytes give address 0.
    ///
    /// # Errors
    /// 2 when there is no room; the sticky error.
    pub fn malloc(&self, bytes: u64) -> Result<u64, Status> {
        let _ = bytes;
        Err(Status::NOT_SUPPORTED)
    }

    /// `cudaMallocPitch`: the address and the pitch in bytes.
    ///
    /// # Errors
    /// As [`Device::malloc`].
    pub fn malloc_pitch(&self, width: u64, height: u64) -> Result<(u64, u64), Status> {
        let _ = (width, height);
        Err(Status::NOT_SUPPORTED)
    }

    /// `cudaMallocManaged`.
    ///
    /// # Errors
    /// As [`Device::malloc`].
    pub fn malloc_managed(&self, bytes: u64, flags: u32) -> Result<u64, Status> {
        let _ = (bytes, flags);
        Err(Status::NOT_SUPPORTED)
    }

    /// `cudaFree`, for device and managed memory; waits for all work as CUDA's implicit synchronisation does. 0 is legal.
    pub fn free(&self, address: u64) -> Status {
        let _ = address;
        Status::NOT_SUPPORTED
    }

    /// `cudaMallocAsync`: the address is valid at once.
    ///
    /// # Errors
    /// As [`Device::malloc`]; 400.
    pub fn malloc_async(&self, bytes: u64, stream: Stream) -> Result<u64, Status> {
        let _ = (bytes, stream);
        Err(Status::NOT_SUPPORTED)
    }

    /// `cudaFreeAsync`: freed when the stream gets there.
    pub fn free_async(&self, address: u64, stream: Stream) -> Status {
        let _ = (address, stream);
        Status::NOT_SUPPORTED
    }

    /// `cudaHostAlloc`: pinned memory, mapped and portable whatever the flags say.
    ///
    /// # Errors
    /// As [`Device::malloc`].
    pub fn host_alloc(&self, bytes: u64, flags: u32) -> Result<u64, Status> {
        let _ = (bytes, flags);
        Err(Status::NOT_SUPPORTED)
    }

    /// `cudaFreeHost`.
    pub fn host_free(&self, address: u64) -> Status {
        let _ = address;
        Status::NOT_SUPPORTED
    }

    /// `cudaHostRegister`.
    pub fn host_register(&self, address: u64, bytes: u64, flags: u32) -> Status {
        let _ = (address, bytes, flags);
        Status::NOT_SUPPORTED
    }

    /// `cudaHostUnregister`.
    pub fn host_unregister(&self, address: u64) -> Status {
        let _ = address;
        Status::NOT_SUPPORTED
    }

    /// The allocation that an address lies in; `None` for ordinary host memory.
    pub fn find(&self, address: u64) -> Option<Allocation> {
        let _ = address;
        None
    }

    /// Free and total bytes of device memory (`cudaMemGetInfo`).
    pub fn mem_info(&self) -> (u64, u64) {
        (0, 0)
    }

    /// `cudaDeviceGetLimit`. launch-model.md section 2.7.
    ///
    /// # Errors
    /// 215 for a limit that an sm_90 device does not have.
    pub fn limit(&self, limit: Limit) -> Result<u64, Status> {
        let _ = limit;
        Err(Status::NOT_SUPPORTED)
    }

    /// `cudaDeviceSetLimit`. What was really set must be read back (launch-model.md section 3.5.3).
    pub fn set_limit(&self, limit: Limit, value: u64) -> Status {
        let _ = (limit, value);
        Status::NOT_SUPPORTED
    }

    /// `cudaDeviceGetAttribute`, by CUDA's number (the driver's and the runtime's agree).
    pub fn attribute(&self, number: u32) -> Option<i32> {
        let _ = number;
        None
    }

    /// Links the units to one module and loads it. Kernels are compiled at their first launch.
    ///
    /// # Errors
    /// The status that `cuModuleLoadData` answers, and why.
    pub fn load_module(&'static self, units: Vec<ast::Module>) -> Result<Arc<Module>, LoadError> {
        let _ = units;
        Err(LoadError { status: Status::NOT_SUPPORTED, log: String::new() })
    }

    /// `cuModuleUnload`: frees its variables; grids that still run keep their code.
    pub fn unload_module(&self, module: &Arc<Module>) -> Status {
        let _ = module;
        Status::NOT_SUPPORTED
    }

    /// `cudaOccupancyMaxActiveBlocksPerMultiprocessor`.
    ///
    /// # Errors
    /// What compiling the kernel answers; 1 for an impossible block.
    pub fn occupancy(&self, function: &Function, block_threads: u32, dynamic_shared: u32) -> Result<u32, Status> {
        let _ = (function, block_threads, dynamic_shared);
        Err(Status::NOT_SUPPORTED)
    }

    /// Launches a kernel; `parameters` is its parameter block in PTX layout ([`Function::parameters`]), which is copied.
    pub fn launch(&self, function: &Arc<Function>, config: &LaunchConfig, parameters: &[u8]) -> Status {
        let _ = (function, config, parameters);
        Status::NOT_SUPPORTED
    }

    /// `cudaStreamCreateWithPriority`.
    ///
    /// # Errors
    /// The sticky error.
    pub fn stream_create(&self, non_blocking: bool, priority: i32) -> Result<Stream, Status> {
        let _ = (non_blocking, priority);
        Err(Status::NOT_SUPPORTED)
    }

    /// `cudaStreamDestroy`: what is queued still runs.
    pub fn stream_destroy(&self, stream: Stream) -> Status {
        let _ = stream;
        Status::NOT_SUPPORTED
    }

    /// `cudaStreamSynchronize`.
    pub fn stream_synchronize(&self, stream: Stream) -> Status {
        let _ = stream;
        Status::NOT_SUPPORTED
    }

    /// `cudaStreamQuery`: 0, 600, or an error.
    pub fn stream_query(&self, stream: Stream) -> Status {
        let _ = stream;
        Status::NOT_SUPPORTED
    }

    /// `cudaStreamWaitEvent`.
    pub fn stream_wait_event(&self, stream: Stream, event: Event) -> Status {
        let _ = (stream, event);
        Status::NOT_SUPPORTED
    }

    /// Whether the stream is non-blocking, and its priority.
    ///
    /// # Errors
    /// 400 for a handle that is none.
    pub fn stream_properties(&self, stream: Stream) -> Result<(bool, i32), Status> {
        let _ = stream;
        Err(Status::NOT_SUPPORTED)
    }

    /// `cudaEventCreateWithFlags`.
    ///
    /// # Errors
    /// The sticky error.
    pub fn event_create(&self, flags: EventFlags) -> Result<Event, Status> {
        let _ = flags;
        Err(Status::NOT_SUPPORTED)
    }

    /// `cudaEventRecord`.
    pub fn event_record(&self, event: Event, stream: Stream) -> Status {
        let _ = (event, stream);
        Status::NOT_SUPPORTED
    }

    /// `cudaEventQuery`.
    pub fn event_query(&self, event: Event) -> Status {
        let _ = event;
        Status::NOT_SUPPORTED
    }

    /// `cudaEventSynchronize`.
    pub fn event_synchronize(&self, event: Event) -> Status {
        let _ = event;
        Status::NOT_SUPPORTED
    }

    /// `cudaEventElapsedTime` in milliseconds.
    ///
    /// # Errors
    /// 400 for events without timing or never recorded, 600 while one has not completed.
    pub fn event_elapsed(&self, start: Event, end: Event) -> Result<f32, Status> {
        let _ = (start, end);
        Err(Status::NOT_SUPPORTED)
    }

    /// `cudaEventDestroy`.
    pub fn event_destroy(&self, event: Event) -> Status {
        let _ = event;
        Status::NOT_SUPPORTED
    }

    /// `cudaMemcpy[Async]`.
    ///
    /// # Safety
    /// Host memory named by the addresses must be valid for the copy, until it is complete.
    pub unsafe fn copy(
        &self,
        destination: u64,
        source: u64,
        bytes: u64,
        direction: Direction,
        stream: Stream,
        mode: Mode,
    ) -> Status {
        let _ = (destination, source, bytes, direction, stream, mode);
        Status::NOT_SUPPORTED
    }

    /// `cudaMemcpy2D[Async]` and `cudaMemcpy3D[Async]` between pitched memory.
    ///
    /// # Safety
    /// As [`Device::copy`].
    pub unsafe fn copy_3d(&self, copy: &Copy3d, direction: Direction, stream: Stream, mode: Mode) -> Status {
        let _ = (copy, direction, stream, mode);
        Status::NOT_SUPPORTED
    }

    /// `cudaMemset[Async]`, `cuMemsetD8/D16/D32`: `count` elements of `width` (1, 2 or 4) bytes.
    pub fn set(&self, destination: u64, value: u32, width: u32, count: u64, stream: Stream, mode: Mode) -> Status {
        let _ = (destination, value, width, count, stream, mode);
        Status::NOT_SUPPORTED
    }

    /// `cudaMemset2D[Async]` and `cudaMemset3D[Async]`.
    pub fn set_3d(&self, fill: &Fill3d, stream: Stream, mode: Mode) -> Status {
        let _ = (fill, stream, mode);
        Status::NOT_SUPPORTED
    }

    /// `cudaLaunchHostFunc`: runs on a thread of its own, in stream order.
    pub fn host_function(&self, stream: Stream, function: Box<dyn FnOnce() + Send>) -> Status {
        let _ = (stream, function);
        Status::NOT_SUPPORTED
    }
}
