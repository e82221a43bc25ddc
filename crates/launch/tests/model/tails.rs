//! Tail order (launch-model 3.3).

use crate::run::{Device, Grid, To, grid, launch};
use hotfire_launch::{Limits, Model, Policy, Stream, StreamKind};

/// Every policy, with many interleavings of the device.
pub fn everywhere(mut check: impl FnMut(Policy, u64)) {
    for seed in 0..50 {
        check(Policy::Eager, seed);
        check(Policy::Latest, seed);
        check(Policy::Random(seed), seed);
        check(Policy::Random(seed), 0);
    }
}

/// The order that an H200 showed, which is the only one: every step of it is forced.
#[test]
fn the_order_of_the_measured_tree() {
    everywhere(|policy, seed| {
        let mut device = Device::new(Model::new(Limits::default(), policy), seed);
        let stream = device.model.create_stream(StreamKind::Blocking);
        let child = |name| {
            let tail = launch(To::Tail, grid(1000 + name, []));
            grid(name, [tail, launch(To::FireAndForget, grid(2000 + name, []))])
        };
        let root = grid(
            0,
            [
                launch(To::Tail, grid(1, [])),
                launch(To::FireAndForget, child(10)),
                launch(To::Tail, grid(2, [])),
                launch(To::Tail, child(20)),
                launch(To::Tail, grid(3, [])),
            ],
        );
        device.submit(stream, root);
        device.submit(stream, grid(99, []));
        assert_eq!(device.run(), [0, 10, 2010, 1010, 1, 2, 20, 2020, 1020, 3, 99]);
        // Each of these grids ends before the next one begins, except that a launcher may still run beside its child.
        let constrained = [2010, 1010, 1, 2, 2020, 1020, 3, 99];
        device.ended.retain(|name| constrained.contains(name));
        assert_eq!(device.ended, constrained);
    });
}

/// A tail starts after work that was launched later than it, also in streams.
#[test]
fn tails_wait_for_all_other_work() {
    everywhere(|policy, seed| {
        let mut device = Device::new(Model::new(Limits::default(), policy), seed);
        let chain = grid(1, [launch(To::Null, grid(2, [launch(To::Named(0), grid(3, []))]))]);
        let root = grid(0, [launch(To::Tail, grid(9, [])), launch(To::Named(3), chain), launch(To::Null, grid(4, []))]);
        device.submit(Stream::LEGACY, root);
        assert_eq!(device.run().last(), Some(&9));
    });
}

/// A tail's own children of every kind, its tails, and theirs, run before its launcher's next tail.
#[test]
fn a_tail_runs_with_its_whole_tree() {
    let tree = |name: u32| -> Grid {
        let inner = |name| grid(name, [launch(To::Tail, grid(name + 1, [launch(To::Tail, grid(name + 2, []))]))]);
        grid(
            name,
            [
                launch(To::Tail, inner(name + 10)),
                launch(To::Null, grid(name + 1, [])),
                launch(To::Tail, inner(name + 20)),
            ],
        )
    };
    everywhere(|policy, seed| {
        let mut device = Device::new(Model::new(Limits::default(), policy), seed);
        device.submit(Stream::LEGACY, grid(0, [launch(To::Tail, tree(100)), launch(To::Tail, tree(200))]));
        device.submit(Stream::LEGACY, grid(999, []));
        let tree = |name| [name, name + 1, name + 10, name + 11, name + 12, name + 20, name + 21, name + 22];
        let expected = [&[0][..], &tree(100), &tree(200), &[999]].concat();
        assert_eq!(device.run(), expected);
    });
}
