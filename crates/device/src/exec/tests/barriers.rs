//! Block barriers of every kind.

use super::*;
use hotfire_jit::abi::barrier::{ARRIVE, RED_AND, RED_OR, RED_POPC, SYNC};

unsafe fn bar(c: *mut ThreadContext, id: u32, threads: u32, kind: u32, predicate: bool) -> u32 {
    // SAFETY: generated code's contract; the same in all kernels here.
    unsafe { (rt().barrier)(c, id, threads, kind, u32::from(predicate), 0) }
}

unsafe extern "C-unwind" fn phases(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let (me, threads) = (linear(c), (*(*c).block).ntid[0]);
        let mut sum = 0u32;
        for phase in 0..10 {
            shared(c, me).store(me * phase, Ordering::Relaxed);
            sync(c);
            sum = sum.wrapping_add(shared(c, (me + 7) % threads).load(Ordering::Relaxed));
            sync(c);
        }
        put(c, sum);
    }
}

#[test]
fn all_threads_see_what_was_written_before_a_barrier() {
    let mut bench = Bench::new();
    for threads in [1, 7, 32, 33, 256, 1000, 1024] {
        let expected: Vec<u32> = (0..threads).map(|i| (i + 7) % threads * 45).collect();
        assert_eq!(bench.output(&Launch::thread(phases, 2, threads).shared(4096)), expected.repeat(2), "{threads}");
    }
}

unsafe extern "C-unwind" fn reductions(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let me = linear(c);
        // A third leaves first: they are not counted.
        if me.is_multiple_of(3) {
            return;
        }
        let count = bar(c, 0, 0, RED_POPC, me.is_multiple_of(2));
        let all = bar(c, 5, 0, RED_AND, !me.is_multiple_of(3));
        let not_all = bar(c, 5, 0, RED_AND, me != 1);
        let any = bar(c, 15, 0, RED_OR, me == 4);
        let none = bar(c, 15, 0, RED_OR, me.is_multiple_of(3));
        put(c, count << 4 | all | not_all << 1 | any << 2 | none << 3);
    }
}

#[test]
fn reductions_count_the_threads_that_are_there() {
    let threads = 200;
    let out = Bench::new().output(&Launch::thread(reductions, 1, threads));
    let count = (0..threads).filter(|i| i % 3 != 0 && i % 2 == 0).count() as u32;
    for (i, &value) in out.iter().enumerate() {
        assert_eq!(value, if i % 3 == 0 { 0 } else { count << 4 | 0b0101 }, "thread {i}");
    }
}

unsafe extern "C-unwind" fn halves(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        let half = linear(c) / 64;
        let mut last = 0;
        for round in 0..(3 + 4 * half) {
            last = bar(c, 1 + half, 64, RED_POPC, (linear(c) + round).is_multiple_of(2));
        }
        put(c, last);
    }
}

#[test]
fn named_barriers_are_independent() {
    assert_eq!(Bench::new().output(&Launch::thread(halves, 1, 128)), vec![32; 128]);
}

unsafe extern "C-unwind" fn pipeline(c: *mut ThreadContext) {
    // Warp 0 produces, warp 1 consumes: `bar.arrive` on "full" and "empty".
    const FULL: u32 = 1;
    const EMPTY: u32 = 2;
    // SAFETY: as above.
    unsafe {
        let (warp, lane) = (linear(c) / 32, linear(c) % 32);
        let mut sum = 0;
        for round in 0..20 {
            if warp == 0 {
                if round > 0 {
                    bar(c, EMPTY, 64, SYNC, false);
                }
                shared(c, lane).store(round * 100 + lane, Ordering::Relaxed);
                bar(c, FULL, 64, ARRIVE, false);
            } else {
                bar(c, FULL, 64, SYNC, false);
                let value = shared(c, 31 - lane).load(Ordering::Relaxed);
                assert_eq!(value, round * 100 + 31 - lane);
                sum += value;
                if round < 19 {
                    bar(c, EMPTY, 64, ARRIVE, false);
                }
            }
        }
        put(c, sum);
    }
}

#[test]
fn arrivals_without_waiting_make_a_pipeline() {
    let out = Bench::new().output(&Launch::thread(pipeline, 1, 64).shared(128));
    let sum = |lane: u32| (0..20).map(|round| round * 100 + 31 - lane).sum::<u32>();
    assert_eq!(out[32..], (0..32).map(sum).collect::<Vec<_>>());
}

unsafe extern "C-unwind" fn short_warp(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        bar(c, 3, 64, SYNC, false);
        put(c, bar(c, 3, 64, RED_POPC, true));
    }
}

#[test]
fn a_short_last_warp_counts_as_a_whole_one() {
    assert_eq!(Bench::new().output(&Launch::thread(short_warp, 1, 40)), vec![40; 40]);
}

unsafe extern "C-unwind" fn some_lanes(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        if linear(c) % 32 < 10 {
            bar(c, 4, 64, SYNC, false);
        }
        sync(c);
        put(c, 1);
    }
}

#[test]
fn some_lanes_of_each_warp_stand_for_all_if_need_be() {
    assert_eq!(Bench::new().output(&Launch::thread(some_lanes, 1, 64)), vec![1; 64]);
}

unsafe extern "C-unwind" fn third_warp_late(c: *mut ThreadContext) {
    // Three warps share a barrier for two: the first pair goes, the third waits for the fourth arrival, warp 0's second.
    // SAFETY: as above.
    unsafe {
        let warp = linear(c) / 32;
        let first = bar(c, 1, 64, RED_POPC, warp != 1);
        let second = if warp == 0 { bar(c, 1, 64, RED_POPC, true) } else { 0 };
        put(c, first << 8 | second);
    }
}

#[test]
fn a_completed_barrier_begins_anew() {
    let out = Bench::new().output(&Launch::thread(third_warp_late, 1, 96));
    assert_eq!(out, [[32 << 8 | 64; 32], [32 << 8; 32], [64 << 8; 32]].concat());
}

unsafe extern "C-unwind" fn bad_barrier(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe { bar(c, parameter(c, 0) as u32, parameter(c, 1) as u32, SYNC, false) };
}

#[test]
fn barriers_that_do_not_exist_fault() {
    let mut bench = Bench::new();
    for bad in [[16, 0], [u64::from(u32::MAX), 0], [1, 33], [0, 1]] {
        let outcome = bench.worker.run(&Launch::thread(bad_barrier, 1, 32).code(&bad), 0);
        let Outcome::Fault(report) = outcome else { panic!("{bad:?}: {outcome:?}") };
        assert_eq!(report.fault, hotfire_jit::abi::Fault::IllegalInstruction);
    }
}

unsafe extern "C-unwind" fn apart(c: *mut ThreadContext) {
    // SAFETY: as above.
    unsafe {
        bar(c, linear(c) / 32, 64, SYNC, false);
        put(c, 1);
    }
}

#[test]
fn threads_that_wait_apart_are_stuck_and_can_be_given_up() {
    let mut bench = Bench::new();
    let out = bench.words(64);
    for _ in 0..3 {
        let code = Launch::thread(apart, 1, 64).code(&[out.as_ptr() as u64]);
        let Outcome::Parked(block) = bench.worker.run(&code, 0) else { panic!("two warps at two barriers") };
        assert!(block.stuck() && block.block() == 0 && Arc::ptr_eq(block.grid(), &code));
        // Once more does not help.
        let Outcome::Parked(block) = bench.worker.resume(block) else { panic!("nothing changed") };
        assert!(block.stuck());
        drop(block);
        assert_eq!(Arc::strong_count(&code), 1);
    }
    assert_eq!(load(out), vec![0; 64]);
    assert_eq!(bench.output(&Launch::thread(short_warp, 1, 64)), vec![64; 64]);
}
