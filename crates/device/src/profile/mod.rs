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
/// Threads a block.
pub const THREADS_PER_BLOCK: u32 = 1024;
/// Blocks of a cluster that any device with clusters runs.
pub const PORTABLE_CLUSTER: u32 = 8;
/// Blocks of a cluster that this device runs where a kernel allows more.
pub const LARGEST_CLUSTER: u32 = 16;
/// Threads a block in each dimension.
pub const BLOCK_DIMENSIONS: [u32; 3] = [1024, 1024, 64];
/// Blocks a grid in each dimension.
pub const GRID_DIMENSIONS: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// Bytes of `__constant__` memory a module.
pub const CONSTANT_BYTES: u32 = 64 * 1024;
/// Nominal registers a thread: code here has none of a GPU's, and they never limit occupancy.
pub const NOMINAL_REGISTERS: u32 = 32;
/// Version that the driver and the runtime report: 13.0.
pub const CUDA_VERSION: i32 = 13_000;

mod attributes;
mod occupancy;

pub use attributes::{CLOCK_KHZ, L2_BYTES, MEMORY_BUS_BITS, MEMORY_CLOCK_KHZ, attribute};
pub use occupancy::{blocks_per_multiprocessor, check_configuration};
