//! Occupancy.

use std::ffi::c_int;

use super::launch::kernel;
use crate::driver::{active_clusters, available_shared, largest_cluster, max_blocks};
use crate::export::export;
use crate::launch::{attributes, function};
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

    /// Blocks of the largest cluster.
    runtime fn cudaOccupancyMaxPotentialClusterSize(size: Out<c_int>, host: u64, config: In<RuntimeLaunch>) {
        let config = config.get()?;
        size.set(largest_cluster(&*function(kernel(host)?)?, config.block.array(), config.shared)?)
    }

    /// How many clusters the device holds.
    runtime fn cudaOccupancyMaxActiveClusters(count: Out<c_int>, host: u64, config: In<RuntimeLaunch>) {
        let config = config.get()?;
        let cluster = attributes(config.attributes, config.count)?.cluster;
        count.set(active_clusters(&*function(kernel(host)?)?, config.block.array(), config.shared, cluster)?)
    }
}
