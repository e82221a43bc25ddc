//! How many blocks a multiprocessor holds, and which launch configurations are legal (CUDA Programming Guide, compute
//! capabilities). launch-model.md sections 2.7 and 3.6.

use super::*;
use crate::status::Status;

/// Blocks of `threads` threads with `shared` bytes (static and dynamic) that fit one multiprocessor; 0 if none does.
pub fn blocks_per_multiprocessor(threads: u32, shared: u32) -> u32 {
    blocks_of(profile(), threads, shared)
}

fn blocks_of(profile: &Profile, threads: u32, shared: u32) -> u32 {
    if threads == 0 || threads > THREADS_PER_BLOCK || shared > profile.shared_per_block_optin() {
        return 0;
    }
    // Shared memory is given out by so many bytes.
    let granularity = if profile.capability >= 80 { 128 } else { 256 };
    let each = (shared + profile.shared_reserved_per_block()).next_multiple_of(granularity);
    let by_shared = profile.shared_per_multiprocessor.checked_div(each).unwrap_or(u32::MAX);
    let by_threads = profile.threads_per_multiprocessor / threads.next_multiple_of(32);
    by_threads.min(by_shared).min(profile.blocks_per_multiprocessor)
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
        assert_eq!(blocks_per_multiprocessor(32, 227 * 1024), 1);
        assert_eq!(blocks_per_multiprocessor(32, 227 * 1024 + 1), 0);
        assert_eq!(blocks_per_multiprocessor(1025, 0), 0);
    }

    #[test]
    fn profiles_have_their_own() {
        let of = |name: &str, threads, shared| blocks_of(&Profile::named(name).expect("it is known"), threads, shared);
        assert_eq!(
            [("a100", 128), ("rtx4090", 128), ("t4", 128)].map(|(name, threads)| of(name, threads, 0)),
            [16, 12, 8]
        );
        assert_eq!(
            [("a100", 32), ("rtx4090", 32), ("t4", 32)].map(|(name, threads)| of(name, threads, 0)),
            [32, 24, 16]
        );
        assert_eq!(("rtx4090", of("rtx4090", 1024, 0)), ("rtx4090", 1));
        assert_eq!([("a100", 3), ("rtx4090", 2), ("t4", 1)].map(|(name, _)| of(name, 32, 48 << 10)), [3, 2, 1]);
        assert_eq!((of("t4", 32, 64 << 10), of("a100", 32, 164 << 10)), (1, 0));
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
