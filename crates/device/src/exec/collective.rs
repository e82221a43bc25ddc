//! What warp collectives compute, given the operands of all lanes that arrived (PTX ISA, "Data Movement and Conversion
//! Instructions: shfl.sync" and "Parallel Synchronization and Communication Instructions").

use super::barrier::bits;
use super::block::LANES;
use super::context;
use super::fiber::Fiber;
use hotfire_jit::abi::{redux, shuffle, vote};

/// Kinds of collectives; a key is the kind and, in the low byte, its mode.
pub const SYNC: u32 = 0;
pub const SHUFFLE: u32 = 0x100;
pub const VOTE: u32 = 0x200;
pub const MATCH: u32 = 0x300;
pub const REDUX: u32 = 0x400;
pub const ELECT: u32 = 0x500;
/// Or-ed to the code of a matrix operation.
pub const MATRIX: u32 = 1 << 31;

/// Stores each arrived lane's result in its fiber.
///
/// # Safety
/// `lanes` has live fibers for all of `arrived`; this runs on `fiber`, of the same block.
pub unsafe fn compute(key: u32, arrived: u32, lanes: &[*mut Fiber; LANES], fiber: *mut Fiber) {
    if key == SYNC {
        return;
    }
    let mut values = [0u64; LANES];
    let mut results = [0u64; LANES];
    let mut operands = [0u64; LANES];
    for lane in bits(arrived) {
        // SAFETY: the caller's promise.
        unsafe { (values[lane], operands[lane]) = ((*lanes[lane]).value, (*lanes[lane]).operand) };
    }
    if key & MATRIX != 0 {
        let words = std::array::from_fn(|lane| values[lane] as *mut u32);
        // SAFETY: every lane that arrived gave the address of its buffer and waits; the others have null. Nothing switches.
        return unsafe {
            context::on_worker_stack(&raw mut (*fiber).context, || {
                hotfire_jit::matrix::compute(key & !MATRIX, &words);
            });
        };
    }
    let mode = key & 0xff;
    match key & !0xff {
        SHUFFLE => shuffled(mode, arrived, &values, &operands, &mut results),
        VOTE => results.fill(u64::from(voted(mode, arrived, &values))),
        MATCH => matched(mode, arrived, &values, &mut results),
        REDUX => results.fill(u64::from(reduced(mode, arrived, &values))),
        _ => {
            let leader = arrived.trailing_zeros();
            results.fill(u64::from(leader));
            results[leader as usize % LANES] |= 1 << 32;
        }
    }
    for lane in bits(arrived) {
        // SAFETY: the caller's promise.
        unsafe { (*lanes[lane]).result = results[lane] };
    }
}

/// `shfl.sync`: value in the low half, predicate in bit 32. A lane whose source did not take part reads 0 (PTX: undefined).
fn shuffled(mode: u32, arrived: u32, values: &[u64; 32], operands: &[u64; 32], results: &mut [u64; 32]) {
    for lane in bits(arrived) {
        let (b, c) = (operands[lane] as u32, (operands[lane] >> 32) as u32);
        let (at, clamp, segment) = (lane as u32, c & 31, c >> 8 & 31);
        let most = (at & segment) | (clamp & !segment);
        let b = b & 31;
        let (from, inside) = match mode {
            shuffle::UP => (at.wrapping_sub(b), at as i32 - b as i32 >= most as i32),
            shuffle::DOWN => (at + b, at + b <= most),
            shuffle::BFLY => (at ^ b, at ^ b <= most),
            _ => {
                let from = (at & segment) | (b & !segment & 31);
                (from, from <= most)
            }
        };
        let from = if inside { from as usize & 31 } else { lane };
        results[lane] = (values[from] & 0xffff_ffff) | u64::from(inside) << 32;
    }
}

/// `vote.sync`
fn voted(mode: u32, arrived: u32, values: &[u64; 32]) -> u32 {
    let ballot = bits(arrived).filter(|&lane| values[lane] != 0).fold(0, |mask, lane| mask | 1 << lane);
    match mode {
        vote::ALL => u32::from(ballot == arrived),
        vote::ANY => u32::from(ballot != 0),
        vote::UNI => u32::from(ballot == arrived || ballot == 0),
        _ => ballot,
    }
}

/// `match.sync`: mask in the low half; `match.all` has its predicate in bit 32.
fn matched(all: u32, arrived: u32, values: &[u64; 32], results: &mut [u64; 32]) {
    let equal = |value: u64| bits(arrived).filter(|&other| values[other] == value).fold(0u32, |mask, l| mask | 1 << l);
    for lane in bits(arrived) {
        let mask = equal(values[lane]);
        results[lane] = match (all != 0, mask == arrived) {
            (false, _) => u64::from(mask),
            (true, true) => u64::from(mask) | 1 << 32,
            (true, false) => 0,
        };
    }
}

/// `redux.sync`
fn reduced(operation: u32, arrived: u32, values: &[u64; 32]) -> u32 {
    let of = bits(arrived).map(|lane| values[lane] as u32);
    let combine: fn(u32, u32) -> u32 = match operation {
        redux::ADD => u32::wrapping_add,
        redux::MIN_S32 => |a, b| (a as i32).min(b as i32) as u32,
        redux::MAX_S32 => |a, b| (a as i32).max(b as i32) as u32,
        redux::MIN_U32 => u32::min,
        redux::MAX_U32 => u32::max,
        redux::AND => |a, b| a & b,
        redux::OR => |a, b| a | b,
        _ => |a, b| a ^ b,
    };
    of.reduce(combine).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `lane` gets when every lane holds ten times its number: value and predicate.
    fn shuffle_of(mode: u32, lane: usize, b: u32, c: u32) -> (u32, bool) {
        let values = std::array::from_fn(|lane| 10 * lane as u64);
        let mut results = [0; LANES];
        shuffled(mode, u32::MAX, &values, &[u64::from(b) | u64::from(c) << 32; LANES], &mut results);
        (results[lane] as u32, results[lane] >> 32 == 1)
    }

    #[test]
    fn shuffles_read_the_lane_that_the_manual_names() {
        // Full width.
        assert_eq!(shuffle_of(shuffle::UP, 0, 1, 0), (0, false));
        assert_eq!(shuffle_of(shuffle::UP, 7, 3, 0), (40, true));
        assert_eq!(shuffle_of(shuffle::DOWN, 31, 1, 31), (310, false));
        assert_eq!(shuffle_of(shuffle::DOWN, 30, 1, 31), (310, true));
        assert_eq!(shuffle_of(shuffle::BFLY, 6, 1, 31), (70, true));
        assert_eq!(shuffle_of(shuffle::IDX, 9, 5, 31), (50, true));
        // Width 8: the segment mask is 0b11000.
        assert_eq!(shuffle_of(shuffle::IDX, 9, 5, 0x1800 | 31), (130, true));
        assert_eq!(shuffle_of(shuffle::DOWN, 15, 1, 0x1800 | 31), (150, false));
        assert_eq!(shuffle_of(shuffle::DOWN, 14, 1, 0x1800 | 31), (150, true));
        assert_eq!(shuffle_of(shuffle::UP, 8, 1, 0x1800), (80, false));
        assert_eq!(shuffle_of(shuffle::UP, 9, 1, 0x1800), (80, true));
        // A clamp below the segment's end.
        assert_eq!(shuffle_of(shuffle::IDX, 2, 9, 7), (20, false));
    }

    #[test]
    fn reductions() {
        let mut values = [0; LANES];
        (values[1], values[4], values[31]) = (3, u64::from(u32::MAX), 8);
        let arrived = 1 << 1 | 1 << 4 | 1 << 31;
        for (operation, expected) in [
            (redux::ADD, 10),
            (redux::MIN_S32, u32::MAX),
            (redux::MAX_S32, 8),
            (redux::MIN_U32, 3),
            (redux::MAX_U32, u32::MAX),
            (redux::AND, 0),
            (redux::OR, u32::MAX),
            (redux::XOR, 3 ^ u32::MAX ^ 8),
        ] {
            assert_eq!(reduced(operation, arrived, &values), expected, "{operation}");
        }
    }
}
