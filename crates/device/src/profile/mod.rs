//! How the device describes itself: an H200 (compute capability 9.0). launch-model.md section 2.7.

/// The name that programs print.
pub const NAME: &str = "NVIDIA H200";
/// Multiprocessors.
pub const MULTIPROCESSORS: u32 = 132;
/// Threads a multiprocessor.
pub const THREADS_PER_MULTIPROCESSOR: u32 = 2048;
/// Blocks a multiprocessor.
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 32;
/// Bytes of shared memory a multiprocessor.
pub const SHARED_PER_MULTIPROCESSOR: u32 = 228 * 1024;
/// Bytes of shared memory a block may ask for by opt-in.
pub const SHARED_PER_BLOCK_OPTIN: u32 = 227 * 1024;
/// Bytes of shared memory a block gets without opting in.
pub const SHARED_PER_BLOCK: u32 = 48 * 1024;
/// Bytes of shared memory that each block costs besides its own.
pub const SHARED_RESERVED_PER_BLOCK: u32 = 1024;
/// Registers a multiprocessor and a block.
pub const REGISTERS: u32 = 65536;
/// Grids resident at once.
pub const RESIDENT_GRIDS: u32 = 128;
/// Bytes of device memory of the real thing.
pub const MEMORY: u64 = 150_110_011_392;
