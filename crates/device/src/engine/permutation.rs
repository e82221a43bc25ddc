//! Orders in which the blocks of a grid start, other than the increasing one: `--block-order random`.
//!
//! No order among blocks is promised (launch-model 2.6). Code in the field relies on the increasing one all the same, so that only
//! this option departs from it.

use super::order::draw;

/// Rounds of the network: enough that neighbours part.
const ROUNDS: u64 = 4;

/// The block that starts as number `at` of `blocks`: a permutation by seed and grid.
pub(super) fn permuted(seed: u64, grid: u64, blocks: u64, at: u64) -> u64 {
    // A Feistel network permutes a power of four; walking along its cycle until a block is hit permutes the blocks.
    let half = (64 - blocks.saturating_sub(1).leading_zeros()).div_ceil(2);
    let mask = (1u64 << half) - 1;
    let mut value = at;
    loop {
        let (mut left, mut right) = (value >> half, value & mask);
        for round in 0..ROUNDS {
            let mut state = seed ^ grid.rotate_left(32) ^ right.rotate_left(8) ^ round;
            (left, right) = (right, left ^ draw(&mut state) & mask);
        }
        value = left << half | right;
        if value < blocks {
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_starts_once() {
        for blocks in [1, 2, 3, 5, 64, 1000, 4097] {
            let mut order: Vec<u64> = (0..blocks).map(|at| permuted(7, 3, blocks, at)).collect();
            assert!(blocks < 64 || !order.is_sorted());
            order.sort_unstable();
            assert_eq!(order, (0..blocks).collect::<Vec<_>>());
        }
        assert_ne!((0..64).map(|at| permuted(7, 3, 64, at)).collect::<Vec<_>>(), {
            (0..64).map(|at| permuted(8, 3, 64, at)).collect::<Vec<_>>()
        });
    }
}
