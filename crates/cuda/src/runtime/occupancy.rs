//! Occupancy.

use std::ffi::c_int;

use super::launch::kernel;
use crate::driver::{available_shared, max_blocks, refuse_clusters};
use crate::export::export;
use crate::launch::function;
use crate::pointer::{In, Out};
use crate::types::RuntimeLaunch;

export! {
    /// How many blocks of a kernel one multiprocessor holds.
    runtime fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks: Out<c_int>, host: u64, threads: c_int, shared: usize) {
        blocks.set(max_blocks(&*function(kernel(host)?)?, threads, shared)?)
    }

    /// How many blocks of a kernel one multiprocessor holds; the flag is about caches.
    runtime fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks: Out<c_int>, host: u64, threads: c_int,
        shared: usize, _flags: u32) {
        blocks.set(max_blocks(&*function(kernel(host)?)?, threads, shared)?)
    }

    /// The most dynamic shared memory with which that many blocks still fit a multiprocessor.
    runtime fn cudaOccupancyAvailableDynamicSMemPerBlock(bytes: Out<usize>, host: u64, blocks: c_int, threads: c_int) {
        bytes.set(available_shared(&*function(kernel(host)?)?, blocks, threads)?)
    }

    /// The largest cluster.
    runtime fn cudaOccupancyMaxPotentialClusterSize(_size: Out<c_int>, _host: u64, _config: In<RuntimeLaunch>) {
        Err(refuse_clusters("cudaOccupancyMaxPotentialClusterSize"))
    }

    /// How many clusters the device holds.
    runtime fn cudaOccupancyMaxActiveClusters(_count: Out<c_int>, _host: u64, _config: In<RuntimeLaunch>) {
        Err(refuse_clusters("cudaOccupancyMaxActiveClusters"))
    }
}
