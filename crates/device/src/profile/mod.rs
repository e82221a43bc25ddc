//! How the device describes itself: as an H200 (compute capability 9.0) unless a profile is asked for. launch-model.md section 2.7.

/// Bytes of shared memory a block gets without opting in.
pub const SHARED_PER_BLOCK: u32 = 48 * 1024;
/// Registers a multiprocessor and a block.
pub const REGISTERS: u32 = 65536;
/// Grids resident at once.
pub const RESIDENT_GRIDS: u32 = 128;
/// Threads a block.
pub const THREADS_PER_BLOCK: u32 = 1024;
/// Blocks of a cluster that any device with clusters runs.
pub const PORTABLE_CLUSTER: u32 = 8;
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
mod known;
mod occupancy;

pub use attributes::attribute;
pub use known::{NAMES, Profile, profile, size};
pub use occupancy::{blocks_per_multiprocessor, check_configuration};
