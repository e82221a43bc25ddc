//! How many blocks a multiprocessor holds, and which launch configurations are legal (CUDA Programming Guide, compute
//! capabilities, 9.0). launch-model.md sections 2.7 and 3.6.

use super::*;
use crate::status::Status;

/// Allocation granularity of shared memory in bytes.
const SHARED_GRANULARITY: u32 = 128;

/// Blocks of `threads` threads with `shared` bytes (static and dynamic) that fit one multiprocessor; 0 if none does.
pub fn blocks_per_multiprocessor(threads: u32, shared: u32) -> u32 {
    if threads == 0 || threads > THREADS_PER_BLOCK || shared > SHARED_PER_BLOCK_OPTIN {
        return 0;
    }
    let by_threads = THREADS_PER_MULTIPROCESSOR / threads.next_multiple_of(32);
    let by_shared =
        SHARED_PER_MULTIPROCESSOR / (shared + SHARED_RESERVED_PER_BLOCK).next_multiple_of(SHARED_GRANULARITY);
    by_threads.min(by_shared).min(BLOCKS_PER_MULTIPROCESSOR)
}

/// Whether dimensions are legal at all.
///
/// # Errors
/// 9 when they are not.
pub fn check_configuration(grid: [u32; 3], block: [u32; 3]) -> Result<(), Status> {
    let within = |size: [u32; 3], most: [u32; 3]| size.iter().zip(most).all(|(&n, most)| (1..=most).contains(&n));
    let threads: u64 = block.iter().map(|&n| u64::from(n)).product();
    if within(grid, GRID_DIMENSIONS) && within(block, BLOCK_DIMENSIONS) && threads <= u64::from(THREADS_PER_BLOCK) {
        Ok(())
    } else {
        Err(Status::INVALID_CONFIGURATION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occupancy_is_the_least_of_threads_blocks_and_shared_memory() {
        assert_eq!(blocks_per_multiprocessor(1, 0), 32);
        assert_eq!(blocks_per_multiprocessor(128, 0), 16);
        assert_eq!(blocks_per_multiprocessor(1024, 0), 2);
        assert_eq!(blocks_per_multiprocessor(33, 0), 32);
        assert_eq!(blocks_per_multiprocessor(65, 0), 21);
        assert_eq!(blocks_per_multiprocessor(32, 48 * 1024), 4);
        assert_eq!(blocks_per_multiprocessor(32, SHARED_PER_BLOCK_OPTIN), 1);
        assert_eq!(blocks_per_multiprocessor(32, SHARED_PER_BLOCK_OPTIN + 1), 0);
        assert_eq!(blocks_per_multiprocessor(1025, 0), 0);
    }

    #[test]
    fn dimensions_have_bounds() {
        assert!(check_configuration([0x7fff_ffff, 65535, 65535], [1024, 1, 1]).is_ok());
        assert!(check_configuration([1, 1, 1], [16, 1, 64]).is_ok());
        for (grid, block) in [
            ([0, 1, 1], [1, 1, 1]),
            ([1, 70000, 1], [1, 1, 1]),
            ([1, 1, 1], [2048, 1, 1]),
            ([1, 1, 1], [1, 1, 65]),
            ([1, 1, 1], [32, 32, 2]),
            ([1, 1, 1], [0, 1, 1]),
        ] {
            assert_eq!(check_configuration(grid, block), Err(Status::INVALID_CONFIGURATION));
        }
    }
}
