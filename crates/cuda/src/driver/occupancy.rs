//! Occupancy.

use std::ffi::c_int;

use hotfire_device::{Device, Function, Status, profile};

use crate::export::export;
use crate::launch::function;
use crate::notice;
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
    let (mut low, mut high) = (0, profile::SHARED_PER_BLOCK_OPTIN + 1);
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
    Ok((found.2 * profile::MULTIPROCESSORS as c_int, found.1))
}

/// A launch whose clusters are counted: no kernel with clusters runs here, and a cluster of one block is a block.
pub(crate) fn refuse_clusters(function: &str) -> Status {
    notice::once(&format!("{function} is not implemented by this device (it has no thread block clusters)"));
    Status::NOT_SUPPORTED
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

    /// The largest cluster.
    context fn cuOccupancyMaxPotentialClusterSize(_size: Out<c_int>, _kernel: Handle, _config: In<DriverLaunch>) {
        Err(refuse_clusters("cuOccupancyMaxPotentialClusterSize"))
    }

    /// How many clusters the device holds.
    context fn cuOccupancyMaxActiveClusters(_count: Out<c_int>, _kernel: Handle, _config: In<DriverLaunch>) {
        Err(refuse_clusters("cuOccupancyMaxActiveClusters"))
    }
}
