//! Launches by device code: the tree, the four kinds of stream, the pool, errors. launch-model.md section 3.

mod common;

use common::{Fixture, fixture, fixture_of};
use hotfire_device::{Config, Limit, Status};

const PENDING_COUNT_EXCEEDED: i32 = 69;

/// launched, dropped, last code.
fn counts(f: &Fixture) -> (i32, i32, i32) {
    (f.int("launched"), f.int("dropped"), f.int("last_code"))
}

fn index(order: &[i32], tag: i32) -> usize {
    order.iter().position(|&noted| noted == tag).unwrap_or_else(|| panic!("{tag} did not run"))
}

#[test]
fn tails_run_in_the_only_legal_order() {
    let f = fixture();
    for _ in 0..50 {
        f.clear();
        f.launch("tails", 1, 32, &[]);
        f.run("leaf", 1, 1, &parameters!(999));
        let order = f.order();
        // 10 and its fire-and-forget child may swap, 20 and its own too; nothing else may.
        assert_eq!(order.len(), 10, "{order:?}");
        let sorted = |range: std::ops::Range<usize>| {
            let mut part = order[range].to_vec();
            part.sort_unstable();
            part
        };
        assert_eq!(sorted(0..2), [10, 2010], "{order:?}");
        assert_eq!(order[2..5], [1010, 1, 2], "{order:?}");
        assert_eq!(sorted(5..7), [20, 2020], "{order:?}");
        assert_eq!(order[7..], [1020, 3, 999], "{order:?}");
    }
}

#[test]
fn fire_and_forget_launches_run_once_each_or_are_counted_as_dropped() {
    let f = fixture();
    for n in [1, 100, 2048, 5000, 20_000] {
        f.clear();
        f.run("storm", 1, 1, &parameters!(n));
        let (launched, dropped, code) = counts(&f);
        assert_eq!(launched + dropped, n);
        assert!(dropped == 0 || code == PENDING_COUNT_EXCEEDED);
        assert_eq!(f.int("order_count"), launched);
        let mut order = f.order();
        order.sort_unstable();
        order.dedup();
        assert_eq!(order.len() as i32, launched);
    }
}

#[test]
fn queued_tails_hold_slots_and_run_in_order() {
    let f = fixture();
    for (n, fit) in [(100, 100), (2048, 2048), (2100, 2048), (4000, 2048)] {
        f.clear();
        f.run("storm_tails", 1, 1, &parameters!(n));
        let code = if n > fit { PENDING_COUNT_EXCEEDED } else { 0 };
        assert_eq!(counts(&f), (fit, n - fit, code));
        assert_eq!(f.order(), (0..fit).collect::<Vec<_>>());
    }
}

#[test]
fn running_grids_hold_slots_until_they_are_done() {
    let f = fixture();
    for (n, fit) in [(100, 100), (2048, 2048), (2049, 2048), (4000, 2048)] {
        f.clear();
        f.run("hold", 1, 1, &parameters!(n));
        let code = if n > fit { PENDING_COUNT_EXCEEDED } else { 0 };
        assert_eq!(counts(&f), (fit, n - fit, code));
        assert_eq!(f.int("order_count"), fit);
    }
}

#[test]
fn the_smallest_pool() {
    let f = fixture();
    // An H200 gives 32 slots to whoever asks for fewer.
    assert_eq!(f.device.set_limit(Limit::DevRuntimePendingLaunchCount, 4), Status::SUCCESS);
    assert_eq!(f.device.limit(Limit::DevRuntimePendingLaunchCount), Ok(32));
    f.run("hold", 1, 1, &parameters!(40));
    assert_eq!(counts(&f), (32, 8, PENDING_COUNT_EXCEEDED));
    assert_eq!(f.int("order_count"), 32);
    f.clear();
    f.run("storm_tails", 1, 1, &parameters!(40));
    assert_eq!(counts(&f), (32, 8, PENDING_COUNT_EXCEEDED));
    // Slots come back.
    f.clear();
    f.run("storm_tails", 1, 1, &parameters!(32));
    assert_eq!(counts(&f), (32, 0, 0));
}

#[test]
fn nests_are_deep() {
    let f = fixture();
    for depth in [1, 24, 1000] {
        f.clear();
        f.run("nest", 1, 1, &parameters!(0, depth));
        assert_eq!(f.order(), [depth]);
        assert_eq!(counts(&f), (depth, 0, 0));
    }
}

#[test]
fn tail_chains_are_long() {
    let f = fixture();
    for depth in [1, 100, 10_000] {
        f.clear();
        f.run("tail_chain", 1, 1, &parameters!(depth));
        assert_eq!(f.order(), [7]);
        assert_eq!(counts(&f), (depth, 0, 0));
    }
}

#[test]
fn each_block_has_a_null_stream_in_order() {
    let f = fixture();
    f.run("null_streams", 4, 32, &parameters!(8));
    let order = f.order();
    assert_eq!(order.len(), 32);
    for block in 0..4 {
        let of_block: Vec<i32> = order.iter().copied().filter(|tag| tag / 100 == block).collect();
        assert_eq!(of_block, (0..8).map(|i| block * 100 + i).collect::<Vec<_>>());
    }
}

#[test]
fn named_streams_and_events_order_launches() {
    let f = fixture();
    for _ in 0..20 {
        f.clear();
        f.run("named", 1, 1, &[]);
        assert_eq!(f.ints("results", 14), [0, 0, 0, 0, 0, 0, 0, 0, 400, 1, 1, 1, 1, 0]);
        let order = f.order();
        assert_eq!(order.len(), 6);
        for (first, then) in [(1, 2), (11, 12), (2, 13), (12, 13)] {
            assert!(index(&order, first) < index(&order, then), "{order:?}");
        }
        assert_eq!(order[5], 99);
    }
}

#[test]
fn bad_configurations_are_the_launching_threads_error() {
    let f = fixture();
    for what in 0..4 {
        f.clear();
        f.run("bad_configuration", 1, 1, &parameters!(what));
        assert_eq!(f.ints("results", 3), [9, 0, 0]);
        assert_eq!(f.order(), [5]);
    }
    f.run("per_thread", 1, 32, &[]);
    let errors = f.ints("order", 96);
    let first = |base: usize| std::iter::once(base);
    let nine: Vec<usize> = errors.iter().enumerate().filter(|(_, error)| **error == 9).map(|(i, _)| i).collect();
    assert_eq!(nine, first(0).chain(first(32)).collect::<Vec<_>>());
    assert!(errors.iter().enumerate().all(|(i, &error)| error == 0 || nine.contains(&i)));
}

#[test]
fn kernels_are_launched_by_address() {
    let f = fixture();
    let x = f.device.malloc(4).unwrap();
    f.write(x, &[5i32]);
    f.run("choose", 1, 1, &parameters!(1i32, 0i32, x));
    assert_eq!(f.read::<i32>(x, 1), [6]);
    f.run("choose", 1, 1, &parameters!(0i32, 0i32, x));
    assert_eq!(f.read::<i32>(x, 1), [1]);
}

#[test]
fn device_copies_and_sets_are_ordered_and_refuse_private_memory() {
    let f = fixture();
    let [a, b] = [(); 2].map(|()| f.device.malloc(64).unwrap());
    f.write(b, &[0i32; 16]);
    f.run("device_copies", 1, 1, &parameters!(a, b));
    assert_eq!(f.ints("results", 5), [0, 0, 1, 1, 0]);
    let ones = 0x0101_0101;
    assert_eq!(f.read::<i32>(a, 4), [ones; 4]);
    assert_eq!(f.read::<i32>(b, 8), [ones, ones, 0, 0, ones, 0, ones, 0]);
}

#[test]
fn version_1_of_the_calls_launches_too() {
    let config = Config { workers: Some(2), memory: Some(1 << 30), ..Config::default() };
    let f = fixture_of(config, include_str!("kernels/version1.ptx"));
    let out = f.device.malloc(16).unwrap();
    for (blocks, threads, expected) in [(4, 2, [36, 0, 0, 0]), (1, 1025, [0, 9, 9, 0]), (0, 1, [0, 9, 9, 0])] {
        f.write(out, &[0i32; 4]);
        f.run("parent", 1, 1, &parameters!(out, blocks, threads));
        assert_eq!(f.read::<i32>(out, 4), expected);
    }
    // Failed launches give their slots back.
    assert_eq!(f.device.set_limit(Limit::DevRuntimePendingLaunchCount, 32), Status::SUCCESS);
    for _ in 0..40 {
        f.run("parent", 1, 1, &parameters!(out, 1, 1025));
    }
    f.write(out, &[0i32; 4]);
    f.run("parent", 1, 1, &parameters!(out, 4, 2));
    assert_eq!(f.read::<i32>(out, 4), [36, 0, 0, 0]);
}
