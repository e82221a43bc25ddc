//! Occupancy.

use std::ffi::c_int;

use hotfire_device::{Device, Function, Status, profile};

use crate::export::export;
use crate::launch::{attributes, function};
use crate::pointer::{In, Out};
use crate::types::{BlockToShared, DriverLaunch, Handle};

const WARP: u32 = 32;

/// How many blocks of a kernel one multiprocessor holds.
pub(crate) fn max_blocks(function: &Function, threads: c_int, shared: usize) -> Result<c_int, Status> {
    let threads = u32::try_from(threads).ok().filter(|&threads| threads > 0).ok_or(Status::INVALID_VALUE)?;
    let shared = u32::try_from(shared).map_err(|_| Status::INVALID_VALUE)?;
    Ok(Device::get().occupancy(function, threads, shared)? as c_int)
}

/// The most dynamic shared memory with which that many blocks still fit a multiprocessor.
pub(crate) fn available_shared(function: &Function, blocks: c_int, threads: c_int) -> Result<usize, Status> {
    let fits = |shared: u32| max_blocks(function, threads, shared as usize).map(|fitting| fitting >= blocks);
    if blocks <= 0 || !fits(0)? {
        return Err(Status::INVALID_VALUE);
    }
    let (mut low, mut high) = (0, profile::profile().shared_per_block_optin() + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        // A size that a kernel may not have at all does not fit either.
        if fits(middle).unwrap_or(false) { low = middle } else { high = middle }
    }
    Ok(low as usize)
}

/// The block size with the most resident threads: the largest one of several.
fn best(function: &Function, shared_of: BlockToShared, shared: usize, limit: c_int) -> Result<(c_int, c_int), Status> {
    let most = function.attributes()?.max_threads;
    let limit = if limit > 0 { most.min(limit as u32) } else { most };
    let mut found = (0, 0, 0);
    let mut threads = limit;
    while threads > 0 {
        let dynamic = shared_of.map_or(shared, |shared_of| shared_of(threads as c_int));
        if let Ok(blocks) = max_blocks(function, threads as c_int, dynamic)
            && blocks as u32 * threads > found.0
        {
            found = (blocks as u32 * threads, threads as c_int, blocks);
        }
        // The first step goes down to a whole number of warps.
        threads = if threads % WARP == 0 { threads - WARP } else { threads / WARP * WARP };
    }
    Ok((found.2 * profile::profile().multiprocessors as c_int, found.1))
}

/// Blocks of the largest cluster that a launch may have.
pub(crate) fn largest_cluster(function: &Function, block: [u32; 3], shared: usize) -> Result<c_int, Status> {
    let fits = max_blocks(function, threads(block)?, shared)? > 0;
    Ok(if fits { function.largest_cluster() as c_int } else { 0 })
}

/// How many clusters of a launch the device holds. A GPU may hold fewer: its multiprocessors come in groups.
pub(crate) fn active_clusters(
    function: &Function,
    block: [u32; 3],
    shared: usize,
    cluster: Option<[u32; 3]>,
) -> Result<c_int, Status> {
    let size: u32 = function.required_cluster().or(cluster).unwrap_or([1; 3]).iter().product();
    if size == 0 || size > function.largest_cluster() {
        return Err(Status::INVALID_CLUSTER_SIZE);
    }
    let blocks = max_blocks(function, threads(block)?, shared)? as u32 * profile::profile().multiprocessors;
    Ok((blocks / size) as c_int)
}

fn threads(block: [u32; 3]) -> Result<c_int, Status> {
    let count = block.iter().try_fold(1u32, |count, &n| count.checked_mul(n)).ok_or(Status::INVALID_VALUE)?;
    c_int::try_from(count).map_err(|_| Status::INVALID_VALUE)
}

export! {
    /// How many blocks of a kernel one multiprocessor holds.
    context fn cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: Out<c_int>, kernel: Handle, threads: c_int, shared: usize) {
        blocks.set(max_blocks(&*function(kernel)?, threads, shared)?)
    }

    /// How many blocks of a kernel one multiprocessor holds; the flag is about caches.
    context fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks: Out<c_int>, kernel: Handle, threads: c_int,
        shared: usize, _flags: u32) {
        blocks.set(max_blocks(&*function(kernel)?, threads, shared)?)
    }

    /// The block size that fills the device best.
    context fn cuOccupancyMaxPotentialBlockSize(grid: Out<c_int>, block: Out<c_int>, kernel: Handle, shared_of: BlockToShared,
        shared: usize, limit: c_int) {
        let (blocks, threads) = best(&*function(kernel)?, shared_of, shared, limit)?;
        grid.set(blocks)?;
        block.set(threads)
    }

    /// The block size that fills the device best; the flag is about caches.
    context fn cuOccupancyMaxPotentialBlockSizeWithFlags(grid: Out<c_int>, block: Out<c_int>, kernel: Handle,
        shared_of: BlockToShared, shared: usize, limit: c_int, _flags: u32) {
        let (blocks, threads) = best(&*function(kernel)?, shared_of, shared, limit)?;
        grid.set(blocks)?;
        block.set(threads)
    }

    /// The most dynamic shared memory with which that many blocks still fit a multiprocessor.
    context fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: Out<usize>, kernel: Handle, blocks: c_int, threads: c_int) {
        bytes.set(available_shared(&*function(kernel)?, blocks, threads)?)
    }

    /// Blocks of the largest cluster.
    context fn cuOccupancyMaxPotentialClusterSize(size: Out<c_int>, kernel: Handle, config: In<DriverLaunch>) {
        let config = config.get()?;
        size.set(largest_cluster(&*function(kernel)?, config.block.array(), config.shared as usize)?)
    }

    /// How many clusters the device holds.
    context fn cuOccupancyMaxActiveClusters(count: Out<c_int>, kernel: Handle, config: In<DriverLaunch>) {
        let config = config.get()?;
        let cluster = attributes(config.attributes, config.count)?.cluster;
        count.set(active_clusters(&*function(kernel)?, config.block.array(), config.shared as usize, cluster)?)
    }
}
