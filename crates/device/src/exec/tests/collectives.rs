//! Warp collectives with all kinds of masks.

use super::*;
use hotfire_jit::abi::{redux, shuffle, vote};

const ALL: u32 = u32::MAX;

unsafe fn shfl(c: *mut ThreadContext, mode: u32, value: u32, b: u32, clamp: u32, mask: u32) -> u64 {
    // SAFETY: generated code's contract; the same in all kernels here.
    unsafe { (rt().shuffle)(c, mode, value, b, clamp, mask, 0) }
}

unsafe extern "C-unwind" fn sum_by_butterfly(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let mut sum = linear(c);
        for step in [16, 8, 4, 2, 1] {
            sum += shfl(c, shuffle::BFLY, sum, step, 31, ALL) as u32;
        }
        put(c, sum);
    }
}

#[test]
fn butterflies_add_whole_warps() {
    let out = Bench::new().output(&Launch::thread(sum_by_butterfly, 1, 128));
    for (i, &sum) in out.iter().enumerate() {
        let first = i as u32 / 32 * 32;
        assert_eq!(sum, (first..first + 32).sum::<u32>());
    }
}

unsafe extern "C-unwind" fn groups(c: *mut ThreadContext) {
    // Odd lanes exit or shuffle among themselves, even lanes vote, in loops of different lengths and from different places.
    // SAFETY: as above.
    unsafe {
        let lane = linear(c) % 32;
        let odd = 0xaaaa_aaaau32;
        let mut value = 0;
        if lane == 13 {
            return;
        }
        if lane % 2 == 1 {
            for round in 0..5 {
                let from = if lane < 16 {
                    shfl(c, shuffle::IDX, lane + round, 31, 31, odd)
                } else {
                    shfl(c, shuffle::IDX, lane + round, 3, 31, odd)
                };
                value += from as u32;
            }
        } else {
            for round in 0..3 {
                value += (rt().vote)(c, vote::BALLOT, u32::from(lane % 4 == round % 4), !odd, 0).count_ones();
            }
        }
        (rt().warp_sync)(c, ALL, 0);
        put(c, value);
    }
}

#[test]
fn groups_with_different_masks_do_not_meet() {
    let out = Bench::new().output(&Launch::thread(groups, 1, 64));
    for (i, &value) in out.iter().enumerate() {
        let expected = match i % 32 {
            13 => 0,
            lane if lane % 2 == 0 => 8 + 8,
            lane if lane < 16 => 5 * 31 + 10,
            _ => 5 * 3 + 10,
        };
        assert_eq!(value, expected, "lane {i}");
    }
}

unsafe extern "C-unwind" fn everything(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let lane = linear(c) % 32;
        let vote_of = |mode, holds| (rt().vote)(c, mode, u32::from(holds), ALL, 0);
        let match_of = |all, value| (rt().match_sync)(c, all, value, ALL, 0);
        let redux_of = |operation, value| (rt().redux)(c, operation, value, ALL, 0);
        let elected = (rt().elect)(c, ALL, 0);
        let holds = [
            vote_of(vote::ALL, lane < 32) == 1,
            vote_of(vote::ALL, lane != 7) == 0,
            vote_of(vote::ANY, lane == 9) == 1,
            vote_of(vote::ANY, lane > 31) == 0,
            vote_of(vote::UNI, lane < 32) == 1,
            vote_of(vote::UNI, lane > 31) == 1,
            vote_of(vote::UNI, lane > 3) == 0,
            vote_of(vote::BALLOT, lane.is_multiple_of(8)) == 0x0101_0101,
            match_of(0, u64::from(lane / 16) << 40) == if lane < 16 { 0xffff } else { 0xffff_0000 },
            match_of(1, 1 << 50) == 1 << 32 | u64::from(ALL),
            match_of(1, u64::from(lane == 31)) == 0,
            redux_of(redux::ADD, lane) == 496,
            redux_of(redux::MIN_S32, lane.wrapping_sub(9)) == 9u32.wrapping_neg(),
            redux_of(redux::MAX_U32, lane.wrapping_sub(1)) == u32::MAX,
            redux_of(redux::XOR, 1 << lane) == u32::MAX,
            elected == u64::from(lane == 0) << 32,
        ];
        put(c, holds.iter().enumerate().map(|(i, &held)| u32::from(held) << i).sum());
    }
}

#[test]
fn every_collective_computes_what_the_manual_says() {
    for value in Bench::new().output(&Launch::thread(everything, 2, 96)) {
        assert_eq!(value, 0xffff, "{value:#x}");
    }
}

unsafe extern "C-unwind" fn leavers(c: *mut ThreadContext) {
    // Lanes leave one after the other while the rest already waits for all.
    // SAFETY: as above.
    unsafe {
        let lane = linear(c) % 32;
        if lane >= 20 {
            for _ in 20..lane {
                (rt().yield_now)(c);
            }
            return;
        }
        let ballot = (rt().vote)(c, vote::BALLOT, 1, ALL, 0);
        let beyond = shfl(c, shuffle::DOWN, 5, 20, 31, ALL);
        // The leader is the lowest lane that is there.
        let elected = (rt().elect)(c, ALL, 0) as u32;
        put(c, ballot ^ beyond as u32 ^ elected << 30);
    }
}

#[test]
fn lanes_that_leave_complete_what_others_wait_for() {
    let out = Bench::new().output(&Launch::thread(leavers, 1, 32));
    // Lanes 20 to 31 are gone: reading them gives 0; further down the clamp gives the lane's own value.
    let expected = |lane: u32| if lane >= 20 { 0 } else { 0xfffff ^ if lane < 12 { 0 } else { 5 } };
    assert_eq!(out, (0..32).map(expected).collect::<Vec<_>>());
}

unsafe extern "C-unwind" fn partial_warp(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe { put(c, (rt().redux)(c, redux::ADD, 1, ALL, 0)) };
}

#[test]
fn lanes_that_never_were_are_not_waited_for() {
    assert_eq!(Bench::new().output(&Launch::thread(partial_warp, 1, 40)), [vec![32; 32], vec![8; 8]].concat());
}

unsafe extern "C-unwind" fn alone(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let mine = 1 << (linear(c) % 32);
        let a = (rt().vote)(c, vote::BALLOT, 1, mine, 0);
        // Its own mask does not name it: it takes part all the same.
        let b = (rt().vote)(c, vote::BALLOT, 1, 0, 0);
        put(c, u32::from(a == mine && b == mine));
    }
}

#[test]
fn a_lane_alone_need_not_wait() {
    assert_eq!(Bench::new().output(&Launch::thread(alone, 1, 64)), vec![1; 64]);
}

unsafe extern "C-unwind" fn active(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let lane = linear(c) % 32;
        let first = (rt().active_mask)(c);
        sync(c);
        // Marked, so that the compiler does not make one call of the two.
        let branch = if lane < 10 {
            std::arch::asm!("nop");
            let mask = (rt().active_mask)(c);
            std::arch::asm!("nop");
            mask
        } else {
            let mask = (rt().active_mask)(c);
            std::arch::asm!("nop", "nop");
            mask
        };
        if lane == 5 {
            return;
        }
        (rt().warp_sync)(c, ALL, 0);
        let last = (rt().active_mask)(c);
        let expected = if lane < 10 { 0x3ff } else { !0x3ff };
        put(c, u32::from(first == ALL) | u32::from(branch == expected) << 1 | u32::from(last == !(1 << 5)) << 2);
    }
}

#[test]
fn lanes_at_the_same_place_are_active_together() {
    let out = Bench::new().output(&Launch::thread(active, 2, 64));
    for (i, &value) in out.iter().enumerate() {
        assert_eq!(value, if i % 32 == 5 { 0 } else { 7 }, "lane {i}");
    }
}

unsafe extern "C-unwind" fn active_while_another_spins(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        if linear(c) == 3 {
            while word(c, 0).load(Ordering::Relaxed) == 0 {
                (rt().yield_now)(c);
            }
            return;
        }
        let mask = (rt().active_mask)(c);
        put(c, mask);
    }
}

#[test]
fn lanes_that_spin_are_not_waited_for() {
    let out = Bench::new().output(&Launch::thread(active_while_another_spins, 1, 32));
    assert_eq!(out, (0..32).map(|i| if i == 3 { 0 } else { !8 }).collect::<Vec<u32>>());
}

unsafe extern "C-unwind" fn different_kinds(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        match linear(c) {
            0 => _ = (rt().vote)(c, vote::ALL, 1, 3, 0),
            _ => _ = (rt().vote)(c, vote::ANY, 1, 3, 0),
        }
    }
}

#[test]
fn lanes_at_different_collectives_are_stuck() {
    let mut bench = Bench::new();
    let outcome = bench.worker.run(&Launch::thread(different_kinds, 1, 2).code(&[]), 0);
    assert!(matches!(&outcome, Outcome::Parked(block) if block.stuck()), "{outcome:?}");
    drop(outcome);
    assert_eq!(bench.output(&Launch::thread(partial_warp, 1, 2)), vec![2; 2]);
}
