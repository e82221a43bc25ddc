//! Orders in which the blocks of a grid start, and the warps of a block, other than the increasing one: `--block-order random`.
//!
//! No order among blocks or warps is promised (launch-model 2.6). Code in the field relies on the increasing one all the same, so that only
//! this option departs from it.

/// Rounds of the network: enough that neighbours part.
const ROUNDS: u64 = 4;

/// What starts as number `at` of so many blocks or warps: a permutation by seed and by the grid or block that they are of.
pub fn permuted(seed: u64, of: u64, count: u64, at: u64) -> u64 {
    // A Feistel network permutes a power of four; walking along its cycle until one below `count` is hit permutes those.
    let half = (64 - count.saturating_sub(1).leading_zeros()).div_ceil(2);
    let mask = (1u64 << half) - 1;
    let mut value = at;
    loop {
        let (mut left, mut right) = (value >> half, value & mask);
        for round in 0..ROUNDS {
            let mut state = seed ^ of.rotate_left(32) ^ right.rotate_left(8) ^ round;
            (left, right) = (right, left ^ draw(&mut state) & mask);
        }
        value = left << half | right;
        if value < count {
            return value;
        }
    }
}

/// SplitMix64.
pub fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
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
