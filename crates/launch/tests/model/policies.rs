//! What the policies promise: `Latest` starts nothing that need not start, `Random` is its seed, a log replays.

use crate::run::{Device, To, grid, launch};
use hotfire_launch::{Choice, DeviceLaunchStream, Item, Limits, Model, Policy, Situation, Stream, StreamKind, Work};
use std::collections::HashSet;

fn launch_one(model: &mut Model, launcher: Item, stream: DeviceLaunchStream) -> Item {
    model.reserve_slot(launcher).unwrap();
    model.launch(launcher, 0, stream, Work::Grid).unwrap()
}

#[test]
fn eager_starts_in_the_order_of_becoming_startable() {
    let mut model = Model::new(Limits::default(), Policy::Eager);
    let [one, other] = [0, 1].map(|_| model.create_stream(StreamKind::NonBlocking));
    let [a, b, c] = [one, one, other].map(|stream| model.submit(stream, Work::Grid));
    assert_eq!([0, 1, 2].map(|_| model.next(Situation::Stuck)), [Some(a), Some(c), None]);
    model.finished(a);
    assert_eq!(model.next(Situation::Busy), Some(b));
    assert_eq!(model.choices(), []);
}

#[test]
fn latest_starts_no_child_whose_parent_runs() {
    let mut model = Model::new(Limits::default(), Policy::Latest);
    let parent = model.submit(Stream::LEGACY, Work::Grid);
    assert_eq!(model.next(Situation::Busy), None, "something else may still make progress");
    assert_eq!(model.next(Situation::Idle), Some(parent));
    let children = [0, 1, 2].map(|_| launch_one(&mut model, parent, DeviceLaunchStream::FireAndForget));
    assert_eq!(model.next(Situation::Stuck), None, "a parent that spins on its child spins for ever");
    assert_eq!(model.startable(), children, "though hardware might start it");
    model.finished(parent);
    assert_eq!(model.next(Situation::Busy), None);
    let youngest_first = [2, 1, 0].map(|child| Some(children[child]));
    assert_eq!([0, 1, 2].map(|_| model.next(Situation::Stuck)), youngest_first);
}

#[test]
fn latest_starts_host_work_beside_what_is_stuck() {
    let mut model = Model::new(Limits::default(), Policy::Latest);
    let streams = [0, 1].map(|_| model.create_stream(StreamKind::NonBlocking));
    let [a, b] = streams.map(|stream| model.submit(stream, Work::Grid));
    assert_eq!([Situation::Idle, Situation::Busy, Situation::Stuck].map(|s| model.next(s)), [Some(b), None, Some(a)]);
}

#[test]
fn an_explicit_start_overrides_the_policy() {
    for policy in [Policy::Eager, Policy::Latest, Policy::Random(1), Policy::Replay(vec![])] {
        let mut model = Model::new(Limits::default(), policy);
        let root = model.submit(Stream::LEGACY, Work::Grid);
        assert!(model.start(root) && !model.start(root));
        let children = [0, 1, 2].map(|_| launch_one(&mut model, root, DeviceLaunchStream::FireAndForget));
        let tail = launch_one(&mut model, root, DeviceLaunchStream::Tail);
        assert!(!model.start(tail) && model.start(children[1]));
        model.finished(root);
        let mut rest = [0, 1].map(|_| model.next(Situation::Idle).unwrap());
        rest.sort();
        assert_eq!(rest, [children[0], children[2]]);
        for child in children {
            model.finished(child);
        }
        assert!(model.start(tail));
    }
}

/// Ten unordered grids in two places, with a tail.
fn program(policy: Policy, seed: u64) -> Device {
    let mut device = Device::new(Model::new(Limits::default(), policy), seed);
    let children: Vec<_> = (1..6).map(|name| launch(To::FireAndForget, grid(name, []))).collect();
    let with_tail = [&children[..], &[launch(To::Tail, grid(9, []))]].concat();
    device.submit(Stream::LEGACY, grid(0, with_tail));
    let stream = device.model.create_stream(StreamKind::NonBlocking);
    for name in 20..25 {
        device.submit(stream, grid(name, []));
    }
    device.run();
    device
}

#[test]
fn random_is_its_seed_and_reaches_many_orders() {
    let orders: HashSet<_> = (0..200).map(|seed| program(Policy::Random(seed), 1).started).collect();
    assert!(orders.len() > 190, "{}", orders.len());
    assert_eq!(program(Policy::Random(7), 3).started, program(Policy::Random(7), 3).started);
}

#[test]
fn a_log_replays() {
    for seed in 0..200 {
        for policy in [Policy::Random(seed), Policy::Latest] {
            let first = program(policy, seed);
            let again = program(Policy::Replay(first.model.choices().to_vec()), seed);
            assert_eq!((&again.started, &again.ended), (&first.started, &first.ended));
            assert!(!again.model.diverged());
            assert_eq!(again.model.choices(), first.model.choices(), "and is the same log");
        }
    }
}

#[test]
fn a_log_of_another_program_is_recognised_and_ends() {
    let foreign = vec![Choice { deferred: 3, ordinal: 4711 }, Choice { deferred: 0, ordinal: 0 }];
    let device = program(Policy::Replay(foreign), 5);
    assert!(device.model.diverged());
    assert_eq!(device.started.len(), 12);
}
